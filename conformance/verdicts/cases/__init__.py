"""Cases for the judges: random edits of valid objects."""
