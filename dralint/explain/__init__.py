"""Finds what `dralint explain` shows: fields, gates, relations between fields, driver packs."""
