"""What a release changes, read from the Go modules of its API."""
