"""An object held against its type: unknown fields, wrong types, and what was meant by them."""
