"""Patterns, as Go reads them."""
