"""Text to tree."""
