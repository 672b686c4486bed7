"""Objects of resource.k8s.io from one API version into another: as plain data, and as text with its layout kept."""
