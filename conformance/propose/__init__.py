"""Proposes the changes of a release, read from the Go modules of its API."""
