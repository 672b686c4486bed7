"""The page of a rule or a field as Markdown, as an editor shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dralint.editor.hover_text import described
from dralint.explain import fields, search
from dralint.finding import catalogue

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dralint.finding.catalogue import Rule


def explain(topic: str) -> str | None:
    """Return the page of a rule (DRA203 or its name) or a field (its path, or the end of it); None without one."""
    rule = catalogue.find(topic)
    if rule is not None:
        return "\n\n".join(_of_rule(rule))
    ends = search.ending(topic) if topic.strip() else []
    for path in (topic, *(one.path for one in ends[:1])):
        try:
            found = fields.find(path)
        except fields.UnknownFieldError:
            continue
        return "\n\n".join([f"# {path}", *described(found[0], found)])
    return None


def _of_rule(rule: Rule) -> Iterator[str]:
    yield f"# {rule.id} {rule.name}"
    yield rule.summary
    yield f"{rule.severity}, {rule.effect}"
    yield f"**Why**\n\n{rule.why.strip()}"
    yield f"**What to do**\n\n{rule.fix.strip()}"
    for kind, title in (("bad", "Wrong"), ("good", "Right")):
        for example in rule.examples.get(kind, ())[:1]:
            for text in (example.get("files") or {"": example.get("manifest", "")}).values():
                yield f"**{title}: {example['title']}**\n\n```yaml\n{text.rstrip()}\n```"
    yield f"[{rule.id}]({rule.url})"
