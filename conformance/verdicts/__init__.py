"""What the API server accepts, refuses and drops: cases, records and comparison."""
