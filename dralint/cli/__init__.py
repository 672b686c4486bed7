"""The command line: each command has a module, and `main` collects them."""
