"""Parses expressions into trees."""
