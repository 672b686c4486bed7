"""Checks an object against its type: finds unknown fields and wrong types, and suggests what was meant."""
