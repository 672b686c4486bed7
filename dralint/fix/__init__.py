"""Applies fixes: the rounds over one text, the withdrawal of fixes that make it worse, and runs over many files."""
