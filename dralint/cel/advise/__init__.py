"""Advice on accepted expressions, which the API server does not give."""
