"""A decoded object held against limits and relations, as a release validates it."""
