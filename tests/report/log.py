"""What the CI systems take for a command in the log of a job."""

from __future__ import annotations

import re
import unicodedata

_ANYWHERE = re.compile(r"##(?:[a-z]+)?\[", re.IGNORECASE)


def commands(log: str) -> list[str]:
    """Return the lines of a log in which GitHub, Azure or TeamCity finds a command.

    As `ActionCommand.TryParseV2` and `TryParse` of actions/runner v2.319.1 do: `::` after spaces of any kind, or `##[`
    anywhere, for a comparison by culture, which passes over characters without a width.
    """
    return [line for line in re.split(r"[\r\n]", log) if _is_command("".join(filter(_has_width, line)))]


def _is_command(line: str) -> bool:
    return line.strip().startswith("::") or _ANYWHERE.search(line) is not None


def _has_width(char: str) -> bool:
    return unicodedata.category(char) not in ("Cf", "Mn", "Cc")
