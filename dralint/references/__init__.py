"""What lies between objects: references that lead nowhere, and what cannot work together."""
