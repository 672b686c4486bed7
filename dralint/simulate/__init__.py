"""Device allocation simulated as the scheduler of a release does it."""
