"""Lints files: judges each document by the chosen releases and gives each problem its file, line and column."""
