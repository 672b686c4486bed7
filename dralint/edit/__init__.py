"""Edits of manifests: replaces parts of a text, found by field path, and proves that the result is right."""
