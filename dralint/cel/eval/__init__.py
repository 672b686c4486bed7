"""Evaluates expressions."""
