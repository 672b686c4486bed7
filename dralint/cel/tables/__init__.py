"""Functions and macros of each release, as data."""
