"""What the compiler of selectors accepts, what that costs, and what it says of devices."""
