"""Searches for repairs: tries small edits of a text, cheapest first, until a judge accepts one."""
