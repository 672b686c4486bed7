"""What `dralint explain` says of fields."""
