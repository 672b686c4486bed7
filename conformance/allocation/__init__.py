"""Compares the devices that the scheduler gives to a Pod with those of dralint."""
