"""The functions and macros of each release, as data."""
