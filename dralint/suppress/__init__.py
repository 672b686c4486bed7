"""Suppresses findings: by comments, the configuration or a baseline. Verdicts do not change."""
