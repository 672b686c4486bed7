"""Judges opaque parameters of drivers by the drivers' own schemas."""
