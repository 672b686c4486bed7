"""What a run is asked for: options made into settings."""
