"""Compares selectors: whether the compiler accepts them, their cost, and their results on devices."""
