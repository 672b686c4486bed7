"""Fixes applied: the rounds over one text, what makes it worse and is taken back, and the same over many files."""
