"""Facts of Kubernetes (types, releases, gates, formats and limits) as data, and the code that reads it."""
