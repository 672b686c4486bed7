"""Types, and what the compiler's validators refuse."""
