"""New manifests for the devices of a driver: claims, templates, classes and Pods, as a person would write them."""
