"""What is read and written: discovery, kustomizations, git, atomic writes."""
