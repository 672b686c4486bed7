"""Edits of manifests: spans of the text and what replaces them, found by path, combined, applied, and proven."""
