"""Finds, reads and writes files: discovery, kustomizations, git, atomic writes."""
