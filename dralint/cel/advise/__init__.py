"""What the API server does not say."""
