"""Checks between objects: missing references, and objects that cannot work together."""
