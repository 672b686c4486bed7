"""Answers as plain values, for JSON; answer.schema.json next to this file is their schema."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dralint.simulate.sentences import sentence
from dralint.simulate.text import event

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dralint.simulate.answers import Answer
    from dralint.simulate.behaviours import Behaviour
    from dralint.simulate.scheduler import Filtered

VERSION = 1


def document(answers: Sequence[Answer], behaviour: Behaviour, notes: Sequence[str] = ()) -> dict[str, Any]:
    """Return all answers as one object."""
    return {
        "version": VERSION,
        "release": str(behaviour.release),
        "allocator": behaviour.implementation,
        "gates": dict.fromkeys(sorted(behaviour.gates), True),
        "questions": [question(answer) for answer in answers],
        **({"notes": list(notes)} if notes else {}),
    }


def question(answer: Answer) -> dict[str, Any]:
    """Return one answer."""
    made: dict[str, Any] = {
        "id": answer.id,
        "claims": answer.claims,
        "allocatedBefore": answer.before,
        "fits": answer.fits,
        "answer": answer.answer,
        "refused": None if answer.unsure else answer.refused or None,
        "advice": answer.advice or None,
        "error": answer.error or None,
        "event": event(answer) or None,
        "placed": answer.placed,
        "nodes": [] if answer.like else [_node(one, answer) for one in answer.nodes],
    }
    if answer.like:
        made["like"] = answer.like
    if answer.unsure:
        made["undecided"] = answer.refused
    ended = answer.eviction.text if answer.eviction is not None else ""
    if answer.no_scheduling_needed or answer.gated or ended:
        made["state"] = answer.no_scheduling_needed or answer.gated or ended
    if answer.replicas is not None:
        many = answer.replicas
        made["replicas"] = {
            "wanted": many.wanted,
            "running": many.running,
            "placed": many.placed,
            "ended": many.ended,
            "missing": many.stuck,
        }
    if answer.outcomes:
        made["fates"] = {node: {"kind": one.kind or "note", "text": one.text} for node, one in answer.outcomes.items()}
    if answer.given_up:
        made["givenUp"] = answer.given_up
    if answer.faults:
        made["faults"] = answer.faults
    if answer.unread:
        made["notSimulated"] = answer.unread
    count = answer.headroom
    if count is not None:
        made["howMany"] = {
            "pods": None if count.unlimited else count.pods,
            "atLeast": count.stopped,
            "nodes": count.nodes,
            "then": {one.node.name: sentence(one, count.then.get(one.node.name)) for one in count.rest}
            if not count.unlimited
            else {},
        }
    return made


def _node(one: Filtered, answer: Answer) -> dict[str, Any]:
    why = answer.why.get(one.node.name)
    made: dict[str, Any] = {
        "node": one.node.name,
        "fits": one.fits,
        "undecided": one.undecided or None,
        "score": one.score,
        "seconds": round(one.seconds, 6),
        "allocations": one.allocations if one.fits else None,
        "error": one.error or None,
        "reasons": one.reasons,
        "several": one.node.name in answer.several,
        "requestMappings": one.mappings or [],
    }
    if not one.fits:
        made["sentence"] = sentence(one, why)
    if why is not None:
        made["why"] = why
    return made
