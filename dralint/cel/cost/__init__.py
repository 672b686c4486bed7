"""The estimate of the cost."""
