"""The exit status: 0, 1 findings, 2 wrong usage or a missing path, 3 could not finish; the highest one wins."""

from __future__ import annotations

OK, FINDINGS, USAGE, UNFINISHED = 0, 1, 2, 3

FAIL_ON = {
    "error": ("error",),
    "broken": ("error", "broken", "dropped"),
    "warning": ("error", "warning"),
    "info": ("error", "warning", "info"),
    "never": (),
}
"""Value of --fail-on → the severities and effects that make the exit status 1."""
