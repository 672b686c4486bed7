"""Checks types, and what the compiler's validators refuse."""
