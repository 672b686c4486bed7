"""Compares the results of `dralint check` and `dralint simulate` for several objects with those of a control plane."""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from click.testing import CliRunner

from conformance import modules
from conformance.allocation.record import UNORDERED
from conformance.control_plane.cases import POD_TEMPLATE_KINDS, pod_of
from conformance.control_plane.record import PREEMPTION, SETS
from conformance.differences import Difference
from dralint.cli.main import dralint
from dralint.kubernetes.release import Release

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from conformance.recording import Row

Object = dict[str, Any]

_REFUSED = ("rejected", "unreadable")
_QUOTA = "exceeded quota"
_ADMISSION = (_QUOTA, "conflict: runtimeClass", " usage per ")
"""What the API server says of a Pod that it does not admit; the scheduler refuses others in other words."""
_NOT_MADE = "pods are forbidden"
_WITH_VICTIMS = "placed when these Pods of a lower priority have ended"
_NOT_OF_SCHEDULING = ("DRA415", "DRA424", "DRA901")
"""Rules about mistakes that do not keep a Pod from being scheduled."""
_CLAIMS = ("ResourceClaim", "ResourceClaimTemplate")
_PODS = ("Pod", *POD_TEMPLATE_KINDS)


def differing(release: str, rows: Sequence[Row]) -> list[Difference]:
    """Return the differences of dralint's answers, the first of each case."""
    found = []
    for row in rows:
        with tempfile.TemporaryDirectory() as folder:
            one = next(_Asked(release, row, Path(folder)).differences(), None)
        if one is not None:
            found.append(Difference(one[0], one[1], one[2], row["id"], f"{'+'.join(row['traits'])}; {one[3]}"))
    return found


class _Asked:
    """A case in files: the inventory, and a file for each object that is applied."""

    def __init__(self, release: str, row: Row, folder: Path) -> None:
        self._row, self._folder = row, folder
        minor = modules.minor(release)
        gates = SETS[row["gates"]](Release.parse(minor))
        # It is also random which of several Pods ends first, and in 1.36 which Pod of a group binds a claim that they
        # share (issue 140087).
        self._by_chance = minor in UNORDERED or bool(row["ended"]) or (minor == "1.36" and row["gates"] == "groups")
        switched = ",".join(f"{gate}={str(on).lower()}" for gate, on in gates.items())
        self._options = ["--no-config", "--kubernetes-version", release, "--format", "json"]
        self._options += ["--feature-gates", switched] if switched else []
        self._inventory = str(folder / "inventory.json")
        listed = {"apiVersion": "v1", "kind": "List", "items": row["inventory"]}
        Path(self._inventory).write_text(json.dumps(listed), "utf-8")
        self._files = {str(folder / f"{number:03}.json"): item for number, item in enumerate(row["applied"])}
        for name, item in self._files.items():
            Path(name).write_text(json.dumps(item), "utf-8")

    def differences(self) -> Iterator[tuple[str, str, str, str]]:
        """Yield the question, the kind of the object, the cause, and what both say."""
        if not self._row["settled"]:
            return
        wrong = self._findings("check", "--complete", "--slices", self._inventory)
        refused = {name: one["message"] for name, one in wrong if one["effect"] in _REFUSED}
        answers = self._answers(refused)
        if any(answer.get("notSimulated") for answer in answers.values()):
            return  # dralint says that it does not decide
        yield from self._of_refusals(refused)
        outcomes = [*self._of_workloads(answers), *self._of_ended(answers)]
        yield from outcomes
        if not outcomes and not self._row["refused"] and self._all_runs(answers):
            for name, one in wrong:
                item = self._files[name]
                if one["effect"] == "broken" and one["rule"] not in _NOT_OF_SCHEDULING and self._used(item):
                    said = f"{_name(item)}: {one['rule']} {one['message']}"
                    yield "check", item["kind"], f"everything runs, dralint says {one['rule']}", said

    def _findings(self, command: str, *arguments: str) -> list[tuple[str, Object]]:
        report = self._ask(command, *arguments, *self._files)
        return [(one["file"], one) for one in report["findings"]]

    def _answers(self, refused: dict[str, str]) -> dict[str, Object]:
        """Return the answers of `simulate` by object, and add to `refused` what its API server does not take."""
        while True:
            files = [name for name in self._files if name not in refused]
            if not files:
                return {}
            said = self._ask("simulate", "--sequence", "--inventory", self._inventory, *files)
            changes = {one["file"]: one["message"] for one in said.get("findings", ())}
            if not changes:
                break
            refused |= changes
        answers = {one["id"]: one for one in said["questions"]}
        for answer in answers.values():
            if "like" in answer:
                answer["nodes"] = _renamed(answers[answer["like"]], answer)
        for name in files:
            item = self._files[name]
            answer = answers.get(_question(item))
            if answer is not None and _by_server(item, answer):
                refused[name] = answer["refused"]
        return answers

    def _of_refusals(self, refused: Mapping[str, str]) -> Iterator[tuple[str, str, str, str]]:
        theirs = {f"{one['kind']}/{one['name']}": one["says"] for one in self._row["refused"]}
        mine = {_name(self._files[file]): said for file, said in refused.items()}
        for name in theirs.keys() - mine.keys():
            yield "refused", name.partition("/")[0], "refused, dralint accepts", f"{name}: {theirs[name]}"
        for name in mine.keys() - theirs.keys():
            yield "refused", name.partition("/")[0], "accepted, dralint refuses", f"{name}: {mine[name]}"

    def _of_workloads(self, answers: Mapping[str, Object]) -> Iterator[tuple[str, str, str, str]]:
        if any(_evicted(answer) for answer in answers.values()):
            return  # dralint reports which Pods end, and not what follows
        refused = {f"{one['kind']}/{one['name']}" for one in self._row["refused"]}
        for item in self._row["applied"]:
            if item["kind"] in _PODS and _name(item) not in refused:
                pods = [pod for pod in self._row["pods"] if pod["of"] == _name(item) and pod["new"]]
                answer = answers.get(_question(item))
                if answer is None:
                    if _references(item):
                        yield "placed", item["kind"], "dralint does not answer", json.dumps(pods)
                else:
                    yield from _of_workload(item, pods, answer, by_chance=self._by_chance)

    def _of_ended(self, answers: Mapping[str, Object]) -> Iterator[tuple[str, str, str, str]]:
        pods = [answers.get(_question(item), {}) for item in self._row["inventory"] if item["kind"] == "Pod"]
        mine = sum(map(_evicted, pods))
        owners = {_name(item): answers.get(_question(item), {}) for item in self._row["applied"]}
        # If a workload makes no Pod, dralint does not count its Pods that end.
        counted = [one for one in self._row["ended"] if mine or not owners.get(one, {}).get("state")]
        mine += sum(answer.get("replicas", {}).get("ended", 0) + _preempted(answer) for answer in owners.values())
        if len(counted) != mine:
            yield "ended", "Pod", f"{len(counted)} ended, dralint {mine}", f"{counted}"

    def _all_runs(self, answers: Mapping[str, Object]) -> bool:
        missing = any(answer.get("replicas", {}).get("missing") for answer in answers.values())
        return not missing and not self._row["ended"] and all(pod["node"] for pod in self._row["pods"])

    def _used(self, item: Object) -> bool:
        """Say whether a new Pod comes from an object, or has it as its claim or template."""
        owners = {pod["of"] for pod in self._row["pods"] if pod["new"]}
        references = [one for each in self._row["applied"] if _name(each) in owners for one in _references(each)]
        names = {one.get("resourceClaimName") or one["resourceClaimTemplateName"] for one in references}
        return _name(item) in owners or (item["kind"] in _CLAIMS and item["metadata"]["name"] in names)

    def _ask(self, *arguments: str) -> Any:
        done = CliRunner().invoke(dralint, [*arguments, *self._options], catch_exceptions=False)
        return json.loads(done.stdout)


def _of_workload(
    item: Object, pods: Sequence[Row], answer: Object, *, by_chance: bool
) -> Iterator[tuple[str, str, str, str]]:
    """Yield what differs; nodes and devices that are given `by_chance` do not count."""
    said = f"{_name(item)}: {json.dumps(pods)[:700]}, dralint {json.dumps(answer)[:900]}"
    theirs = Counter(pod["node"] for pod in pods if pod["node"])
    mine = Counter(_placed(answer))
    if theirs.total() != mine.total():
        yield "placed", item["kind"], f"{theirs.total()} placed, dralint {mine.total()}", said
    elif theirs != mine and not by_chance:
        yield "placed", item["kind"], "on other nodes", said
    elif len(pods) == 1 and mine and not by_chance:
        wanted = [devices for _, devices in sorted(pods[0]["devices"].items()) if devices is not None]
        if answer["nodes"] and not answer["allocatedBefore"] and sorted(wanted) != sorted(_devices(answer)):
            yield "devices", item["kind"], "other devices", f"{said} {_devices(answer)}"
    says = {_plain(pod["says"]) for pod in pods if pod["says"]}
    if (answer["refused"] or "").startswith(_NOT_MADE):
        return  # it is about Pods that do not exist
    if says and not mine and not any(map(_says(answer).__contains__, says)):
        yield "reason", item["kind"], "other words", f"{sorted(says)}, dralint {sorted(_says(answer))}: {said}"


def _renamed(like: Object, answer: Object) -> list[Object]:
    """Return the nodes of an answer for an equal Pod, with the names of the claims of this one."""
    text = json.dumps(like["nodes"])
    for one, own in zip(like["claims"], answer["claims"], strict=True):
        text = text.replace(one, own)
    nodes: list[Object] = json.loads(text)
    return nodes


def _placed(answer: Object) -> dict[str, int]:
    if "replicas" in answer:
        placed: dict[str, int] = answer["replicas"]["placed"]
        return placed
    return {answer["placed"]: 1} if answer["placed"] and answer["answer"] != "error" else {}


def _devices(answer: Object) -> list[list[str]]:
    node = next(one for one in answer["nodes"] if one["node"] == answer["placed"])
    every = [one.get("devices", {}).get("results", ()) for one in node["allocations"] or ()]
    return [
        [f"{one['request']}: {one['driver']}/{one['pool']}/{one['device']}" for one in results] for results in every
    ]


def _evicted(answer: Object) -> bool:
    return bool(answer.get("answer") == "evicted")


def _preempted(answer: Object) -> int:
    """Return how many Pods of a lower priority end, so that a Pod finds room."""
    fate = answer.get("fates", {}).get(answer.get("placed"), {}).get("text", "")
    return len(fate.partition(": ")[2].split(", ")) if fate.startswith(_WITH_VICTIMS) else 0


def _says(answer: Object) -> set[str]:
    """Return what the condition of the Pod can say: the scheduler stops at the error of any node."""
    errors = [answer["error"], *(one["error"] for one in answer["nodes"])]
    errors += [fate["text"] for fate in answer.get("fates", {}).values()]
    texts = {answer["refused"], (answer["event"] or "").partition(PREEMPTION)[0], *errors} - {None, ""}
    return {_plain(text) for text in texts}


def _plain(text: str) -> str:
    """Return a text without the names that are made up for claims of extended resources."""
    return text[max(0, text.find(_QUOTA)) :]


def _by_server(item: Object, answer: Object) -> bool:
    """Say whether an answer is that the API server refuses the object itself."""
    said = answer["refused"] or ""
    return (
        item["kind"] not in _PODS
        or said.startswith("spec.")
        or (item["kind"] == "Pod" and any(map(said.__contains__, _ADMISSION)))
    )


def _references(item: Object) -> list[Object]:
    references: list[Object] = pod_of(item).get("resourceClaims", [])
    return references


def _name(item: Object) -> str:
    return f"{item['kind']}/{item['metadata']['name']}"


def _question(item: Object) -> str:
    place = item["metadata"].get("namespace", "")
    return f"{item['kind'].lower()} {place}{'/' if place else ''}{item['metadata']['name']}"
