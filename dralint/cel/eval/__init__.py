"""Running an expression."""
