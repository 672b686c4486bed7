"""Judges updates: pairs the objects before and after, compares them, and applies the release's rules for updates."""
