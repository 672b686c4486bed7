"""Which devices the scheduler gives to a Pod."""
