"""Judges built from Kubernetes' own modules, and what they are asked. Not a part of the installed program."""
