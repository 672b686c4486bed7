"""Estimates the cost of an expression."""
