"""Finds what is wrong in a dump of a cluster."""
