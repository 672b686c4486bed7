"""Writes new manifests for the devices of a driver (claims, templates, classes, Pods), as a person would."""
