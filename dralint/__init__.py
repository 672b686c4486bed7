"""dralint: the API server's verdict on Kubernetes Dynamic Resource Allocation manifests, offline."""

__version__ = "0.1.0"
