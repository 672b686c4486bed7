"""Validates a decoded object as a release does: by limits of single fields, and by relations between fields."""
