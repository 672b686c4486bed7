"""Judges built from Kubernetes' own modules, and the cases for them. This is not a part of the installed program."""
