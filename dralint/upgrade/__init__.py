"""Finds what an upgrade of the cluster from one release to another means for manifests."""
