"""Repairs that are found: small edits of a text, cheapest first, that whoever judges it accepts."""
