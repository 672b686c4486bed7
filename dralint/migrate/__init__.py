"""Converts objects of resource.k8s.io to another API version: as plain data, and as text that keeps its layout."""
