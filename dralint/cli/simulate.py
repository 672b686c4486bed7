"""`dralint simulate`: shows which devices a Pod would get on which node, or why it would get none."""

from __future__ import annotations

import gc
import json
import os
import sys
from itertools import product
from typing import TYPE_CHECKING, Any

import click

from dralint import report as reports
from dralint.cli import options, output
from dralint.cli.options import ConfiguredCommand, OneOf
from dralint.cli.output import give_up, progress, show_json, tell, tell_faults, tell_unread, wrong_usage
from dralint.cli.write_reports import to_stdout, write_file
from dralint.config.settings import Settings
from dralint.drivers.choice import known_packs
from dralint.drivers.shipped import MEANT
from dralint.files.git import Text
from dralint.files.source import read_file, read_stdin
from dralint.files.text_parts import size_of
from dralint.finding.problem import at, dict_of
from dralint.finding.report import Report, internal_error, unread
from dralint.finding.rule_ids import IMMUTABLE_FIELD
from dralint.kubernetes.served import known_releases
from dralint.kubernetes.workloads import POD_SPECS, custom_kind
from dralint.lint.faults_met import facts_in, faults_met, name_faults_met, world_of
from dralint.lint.inventory_reader import InventoryReader, fault_of
from dralint.lint.linter import Linter
from dralint.lint.pool import Task, judge_bytes
from dralint.manifest.objects import known_kind, objects_of
from dralint.report import Style
from dralint.report.safe import escape_json
from dralint.report.screen import draw
from dralint.simulate.answers import Answer, document, question
from dralint.simulate.behaviours import behaviour
from dralint.simulate.cluster import Cluster, makers, pod_for_claim, without_pods
from dralint.simulate.faults import name_faults, notes, spared
from dralint.simulate.page import page
from dralint.simulate.questions import Questions, answer, workloads_of
from dralint.simulate.server import ApiServer
from dralint.simulate.text import parts
from dralint.update.linter import Updates, old_side

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from dralint.cli.options import Chosen
    from dralint.drivers.choice import Choice
    from dralint.files.source import Source
    from dralint.kubernetes.release import Release
    from dralint.report.screen import Part
    from dralint.simulate.behaviours import Behaviour
    from dralint.simulate.cluster import Key, Workload
    from dralint.simulate.server import Quotas


# The inputs.


def _text_of(source: Source) -> bytes:
    """Return the text of a file; end the command where it cannot be read."""
    try:
        return source.read()
    except OSError as error:
        give_up(f"{source.name} {unread(source.name, error).message}")


def read_inventory(
    sources: Sequence[Source], gates: tuple[tuple[str, bool], ...], *, quiet: bool
) -> tuple[Cluster, list[tuple[dict[str, Any], bool]], bool]:
    """Return the cluster of the inventory, its Pods and workloads, and whether some of it is left out.

    End the command if the inventory has no object that matters.
    """
    cluster, originals = Cluster(), []
    gc.disable()  # nothing of the inventory refers to itself, and looking for it takes a fifth of the time
    with progress(sum(map(size_of, sources)), quiet=quiet, noun="bytes of the inventory") as advance:
        dump = InventoryReader(gates, advance)
        for source in sources:
            try:
                for item, _ in dump.objects(source):
                    cluster.add(item.typed)
                    if (item.api_version, item.kind) in POD_SPECS or known_kind(item) is not None:
                        originals.append((item.typed, False))
            except OSError as error:
                give_up(f"{source.name} {unread(source.name, error).message}")
    gc.freeze()
    gc.enable()
    gc.set_threshold(100_000)
    cluster.absent, cluster.in_part = dump.absent, dump.incomplete
    tell_faults(dump.faults)
    if not cluster.objects:
        give_up("not simulated: the inventory has no object that matters here")
    return cluster, originals, bool(dump.faults)


def stop_for_findings(
    texts: dict[str, bytes], release: Release, gates: tuple[tuple[str, bool], ...], chosen: Chosen
) -> None:
    """End the command with the findings on manifests that the API server refuses."""
    settings = Settings(releases=(release,), gates=gates, ignore_status=False)
    linter, whole = Linter(settings, collects=False), Report()
    for name, raw in texts.items():
        whole.extend(judge_bytes(linter, name, raw, Task(settings, excerpts=True)).report)
    whole.findings = [finding for finding in whole.findings if finding.effect in ("unreadable", "rejected")]
    if whole.findings or whole.failures:
        whole.sort()
        sys.exit(_show_report(whole, chosen))
    faults = [
        fault
        for name, raw in texts.items()
        for document, item in objects_of(raw)
        if (fault := fault_of(linter.releases, name, document, item)) is not None
    ]
    if faults:  # in the rest of a Pod, which is not judged
        tell_faults(faults)
        tell("dralint: not simulated: the API server would refuse the objects above")
        sys.exit(1)


def stop_for_changes(
    before: Cluster, keys: Iterable[tuple[Key, str]], texts: dict[str, bytes], behaviour: Behaviour, chosen: Chosen
) -> None:
    """End the command with the findings on manifests that change immutable fields of a live object."""
    old = old_side(before.objects.items(), dict(keys))
    if not old:
        return
    new = [Text(name, name, lambda raw=raw: raw) for name, raw in texts.items()]  # type: ignore[misc]
    settings = Settings(releases=(behaviour.release,), ignore_status=False)
    report = Updates(settings).compare(old, new, excerpts=True)
    report.findings = [f._replace(related=()) for f in report.findings if f.rule == IMMUTABLE_FIELD]
    if report.findings:
        sys.exit(_show_report(report, chosen))


def _show_report(report: Report, chosen: Chosen) -> int:
    format_ = "text" if chosen["format_"] == "text" else "json"
    to_stdout(reports.render(format_, report, reports.Style()), format_)
    tell_unread(report.failures)
    tell("dralint: not simulated: the API server would refuse the objects above")
    return 3 if report.failures else 1


def _drivers(cluster: Cluster) -> list[str]:
    """Return the drivers that publish devices in a cluster."""
    return sorted({str(item["spec"].get("driver")) for item in cluster.of("ResourceSlice")})


def add_made(cluster: Cluster, choice: Choice, manifests: Iterable[dict[str, Any]], namespace: str) -> list[str]:
    """Add the templates that the drivers of a cluster make from objects of the manifests; return the notes."""
    notes = []
    rows = [row for driver in _drivers(cluster) if (pack := choice.pack(driver)) for row in pack.data.get("makes", ())]
    for item, row in product(manifests, rows):
        group, made_in = (str(each["apiVersion"]).partition("/")[0] for each in (item, row))
        name = at(item, tuple(row["template"].split(".")))
        if (item["kind"], group) != (row["kind"], made_in) or not isinstance(name, str):
            continue
        metadata = {"name": name, "namespace": str(dict_of(item.get("metadata")).get("namespace") or namespace)}
        if cluster.get("ResourceClaimTemplate", metadata["namespace"], name) is not None:
            continue
        known = custom_kind(group, item["kind"])
        names = [called for made in known.makes for called in made.requests] if known is not None else []
        request = {"name": next(iter(names), "device"), "exactly": {"deviceClassName": row["class"], "count": 1}}
        kind = {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaimTemplate"}
        cluster.add({**kind, "metadata": metadata, "spec": {"spec": {"devices": {"requests": [request]}}}})
        notes.append(f"the driver makes the template {name} of a {row['kind']}, for one device of {row['class']}")
    return notes


def add_classes(cluster: Cluster, choice: Choice, manifests: Iterable[dict[str, Any]]) -> list[str]:
    """Add the classes that the charts of a cluster's drivers install, if it has no class; return the notes.

    Classes in the manifests are left out.
    """
    if cluster.of("DeviceClass"):
        return []
    brought = {str(dict_of(item.get("metadata")).get("name")) for item in manifests if item["kind"] == "DeviceClass"}
    notes = []
    for driver in _drivers(cluster):
        pack = choice.pack(driver) if driver in MEANT.union(choice.own) else None
        classes = () if pack is None else pack.at(pack.newest).get("classes", ())
        rows = [row for row in classes if "cel" in row and row["name"] not in brought]
        for row in rows:
            spec: dict[str, Any] = {"selectors": [{"cel": {"expression": row["cel"]}}]}
            if "extendedResource" in row:
                spec["extendedResourceName"] = row["extendedResource"]
            kind = {"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass"}
            cluster.add({**kind, "metadata": {"name": row["name"]}, "spec": spec})
        if pack is not None and rows:
            names = ", ".join(row["name"] for row in rows)
            chart = f"those of the chart of {driver} {pack.newest}: {names}"
            notes.append(f"the inventory has no DeviceClasses; dralint uses {chart}")
    return notes


# The questions.


def workloads_asked(
    cluster: Cluster,
    own: Cluster,
    originals: Sequence[tuple[dict[str, Any], bool]],
    namespace: str,
    chosen: Chosen,
) -> list[Workload] | None:
    """Return the workloads that the options choose; None for the pending Pods of the inventory."""
    if chosen["pending"]:
        return None
    if not (chosen["pods"] or chosen["claims"]):
        return workloads_of(own, [item for item, mine in originals if mine], namespace)
    asked: list[Workload] = []
    every = [w for item, _ in originals for w in makers(item, namespace)]
    for name in chosen["pods"]:
        hits = [w for w in every if name in _names(w)]
        if not hits:
            raise click.UsageError(f"--pod: there is no Pod {name!r}; {_some(n for w in every for n in _names(w)[:1])}")
        asked.append(hits[-1])
    for name in chosen["claims"]:
        for kind in ("ResourceClaim", "ResourceClaimTemplate"):
            keys = [k for k in cluster.objects if k[0] == kind and name in (f"{k[1]}/{k[2]}", k[2])]
            if keys:
                asked.append(pod_for_claim(kind, cluster.objects[keys[-1]]))
                break
        else:
            there = (f"{k[1]}/{k[2]}" for k in cluster.objects if k[0] in ("ResourceClaim", "ResourceClaimTemplate"))
            raise click.UsageError(f"--claim: there is no claim {name!r}; {_some(there)}")
    return asked


def _names(workload: Workload) -> list[str]:
    """Return the names by which --pod can name a Pod."""
    whole, kind = f"{workload.namespace}/{workload.name}", workload.kind.lower()
    if kind == "pod":
        return [whole, workload.name]
    return [f"{kind}/{workload.name}", f"{kind}/{whole}"]


def _some(names: Iterator[str]) -> str:
    shown = sorted(set(names))
    return f"there are {', '.join(shown[:8])}{' and more' if len(shown) > 8 else ''}" if shown else "there are none"


def refusals(server: ApiServer) -> list[Answer]:
    """Return the objects that the API server refuses."""
    return [
        Answer(f"{kind.lower()} {'/'.join(filter(None, (namespace, name)))}", refused=said, by_server=True)
        for (kind, namespace, name), said in server.refused.items()
    ]


def questions_on(cluster: Cluster, quotas: Quotas, behaviour: Behaviour, chosen: Chosen) -> Questions:
    """Return the questions on a cluster; raise a UsageError if no node has the chosen name."""
    questions = Questions(
        cluster,
        behaviour,
        nodes=chosen["nodes"],
        timeout=chosen["timeout"],
        explain=chosen["explain"],
        quotas=quotas,
    )
    if chosen["nodes"] and not questions.nodes:
        names = _some(node.name for node in questions.inventory.nodes)
        raise click.UsageError(f"--node: no node of the inventory has such a name; {names}")
    return questions


def ask(
    questions: Questions,
    before: Cluster | None,
    workloads: list[Workload],
    chosen: Chosen,
) -> list[Answer]:
    """Return the answer on each workload, then the Pods that the manifests evict; `before` lacks the manifests."""
    if chosen["evict"]:
        return [*questions.evictions(), *spared(questions)]
    with progress(len(workloads) * len(questions.nodes), quiet=chosen["quiet"], noun="nodes") as questions.advance:
        one = questions.how_many if chosen["how_many"] else questions.ask
        answers = questions.sequence(workloads) if chosen["sequence"] else list(map(one, workloads))
        if not (chosen["sequence"] or chosen["how_many"]) and any(answer.answer != "all" for answer in answers):
            name_faults(questions, list(zip(workloads, answers, strict=True)))
        if before is not None:
            answers += [*questions.evictions(before), *spared(questions, before)]
    return answers


def _is_own_workload(item: Mapping[str, Any]) -> bool:
    """Say whether an object is of a kind of Kubernetes that is a Pod or makes Pods."""
    return (item.get("apiVersion"), item.get("kind")) in POD_SPECS


def _name_faults_met(
    asked: Iterable[tuple[Workload, Answer]],
    questions: Questions,
    originals: Sequence[tuple[dict[str, Any], bool]],
    settings: Settings,
    packs: Choice,
) -> None:
    """Add the known faults of the release and of drivers to the answers on Pods that meet them."""
    cluster, release = questions.cluster, questions.behaviour.release
    custom = [item for item, _ in originals if not _is_own_workload(item)]
    patch = settings.patch(release)
    known = facts_in([*cluster.objects.values(), *custom])
    world = world_of(known, cluster, release, dict(settings.gates), {} if patch is None else {release: patch})
    name_faults_met(list(asked), faults_met(world, cluster, packs), cluster, settings.namespace or "default")


FAILING = {
    "never": frozenset[str](),
    "none": frozenset({"none", "refused", "error", "waits", "evicted"}),
    "some": frozenset({"none", "refused", "error", "waits", "evicted", "some"}),
}
"""Value of --fail-on → the answers that make the exit status 1."""

_NOTHING = "nothing to decide: the manifests have no Pod with claims, no claim and no template"


def deliver(
    answers: list[Answer],
    remarks: list[str],
    questions: Questions,
    chosen: Chosen,
    written: Sequence[tuple[Path, str]],
    *,
    in_part: bool,
) -> None:
    """Show the answers, write the files (path and text), and end with the exit status.

    `in_part` says whether some of the inventory is left out: then no answer is certain.
    """
    status = 1 if any(answer.answer in FAILING[chosen["fail_on"]] for answer in answers) else 0
    if not status and any(answer.out_of_scope for answer in answers):
        status = 4
    if in_part or any(answer.answer == "undecided" and not answer.out_of_scope for answer in answers):
        status = 3
    for path, text in written:
        status = status if write_file(path, text) else 3
    style = output.style(chosen["color"], sys.stdout, os.environ)
    text = _render(chosen["format_"], answers, remarks, questions, chosen, style)
    to_stdout(text, "text" if chosen["format_"] == "text" else "json")
    sys.exit(status)


_PLAIN = Style()


def _render(
    format_: str,
    answers: list[Answer],
    remarks: list[str],
    questions: Questions,
    chosen: Chosen,
    style: Style = _PLAIN,
) -> str:
    if format_ == "html":
        return page(answers, questions, lambda one: _render("text", [one], [], questions, chosen), remarks)
    if format_ == "text":
        if not answers and not chosen["pending"]:
            said: Iterable[Part] = ["no Pod that runs is evicted" if chosen["evict"] else _NOTHING]
        else:
            said = parts(answers, str(questions.behaviour), pending=chosen["pending"])
        return draw([*said, *(["", *(f"note: {remark}" for remark in remarks)] if remarks else [])], style)

    if format_ == "jsonl":
        return escape_json("".join(json.dumps(question(answer)) + "\n" for answer in answers))
    return escape_json(json.dumps(document(answers, questions.behaviour, remarks), indent=1) + "\n")


_FORMATS = ("text", "json", "jsonl")
_FILE_FORMATS = (*_FORMATS, "html")


class _Simulate(ConfiguredCommand):
    of_a_call = frozenset({"fail-on", "format"})
    besides = frozenset({"driver-packs", "slices"})


@click.command(cls=_Simulate, short_help="Simulate the scheduler: which devices does a Pod get, and why not?")
@click.argument("manifests", nargs=-1, metavar="[MANIFEST]...")
@options.configuration
@click.option(
    "--inventory",
    multiple=True,
    metavar="FILE",
    help="The objects of the cluster: a file, a directory, or - for standard input; see above; repeatable. By default,"
    " the `slices` of the configuration.",
)
@click.option(
    "--pod",
    "pods",
    multiple=True,
    metavar="NS/NAME",
    help="Simulate only this Pod, or the Pod of a workload (deployment/NAME); repeatable. By default, simulate every"
    " Pod of the manifests, and every claim or template that no Pod uses.",
)
@click.option("--claim", "claims", multiple=True, metavar="NS/NAME", help="Simulate only this claim; repeatable.")
@click.option(
    "--node", "nodes", multiple=True, metavar="NAME", help="Use only these nodes; a name or a glob; repeatable."
)
@options.one_release
@options.option("feature-gates", help="Switch feature gates of the scheduler.")
@options.option("driver-versions", help="The version of a driver that the cluster runs, for its known faults.")
@options.option("driver-gates")
@options.option("exclude", help="Skip these manifests; the patterns are those of .gitignore; repeatable.")
@options.option("namespace", help="The namespace of manifests that have none.  [default: default]")
@click.option("--sequence", is_flag=True, help="Place one Pod after the other; each takes devices away from the next.")
@click.option("--pending", is_flag=True, help="Check every Pod of the inventory that has claims and waits.")
@click.option(
    "--evict", is_flag=True, help="Show only which running Pods the taints of devices and nodes end, and when."
)
@click.option("--how-many", is_flag=True, help="Show how many more of each Pod fit, on which nodes, and what runs out.")
@click.option(
    "--explain",
    type=OneOf(["auto", "never", "always"]),
    default="auto",
    show_default=True,
    help="When to show the reasons for nodes that do not fit; auto: if no node fits, or with --node.",
)
@options.timeout(10.0, "The time limit per node, like the scheduler's; 0 means none.")
@options.option("format", words=_FORMATS)
@click.option(
    "--output-file",
    multiple=True,
    metavar="FORMAT=PATH",
    help="Also write the answers to this file; repeatable. html writes a page with the devices of every node.",
)
@click.option(
    "--fail-on",
    type=OneOf(list(FAILING)),
    default="none",
    show_default=True,
    help="End with status 1 if a Pod fits on no node (none), or not on all nodes (some).",
)
@options.color
@options.option("quiet", help="Do not show the progress.")
@click.option(
    "--scenarios",
    metavar="FILE.jsonl",
    help="Answer many independent questions: one JSON object per line, one answer per line.",
)
def simulate(manifests: tuple[str, ...], settings: Settings, **chosen: Any) -> None:
    """Simulate the scheduler's allocation of devices, offline.

    MANIFEST is a file, a directory, or - for standard input, with the objects that you are about to apply: Pods,
    workloads, claims, templates, classes, taint rules, quotas. dralint applies them to the inventory as the API server
    does. If the server rejects a manifest, dralint prints the findings and does not simulate.

    \b
    kubectl writes an inventory:
    kubectl get -A -o yaml \\
      resourceslices,deviceclasses,nodes,resourceclaims,resourceclaimtemplates,\\
      devicetaintrules,namespaces,resourcequotas,runtimeclasses,priorityclasses,limitranges,\\
      pods,deployments,statefulsets,daemonsets,jobs

    Add podgroups if the cluster has them. A change that the server refuses is found only if the inventory has the
    object, such as a Job.

    Exit status: 0 every Pod runs on some node, 1 a Pod does not run (--fail-on) or a manifest is rejected,
    2 wrong usage, 3 could not finish or decide, 4 what decides is not simulated.
    """
    if chosen["scenarios"] is not None:
        if manifests or chosen["inventory"]:
            raise click.UsageError("--scenarios brings its own inventory: no manifests and no --inventory with it")
        _scenarios(chosen["scenarios"], quiet=chosen["quiet"])
        return
    paths = chosen["inventory"] or settings.slices
    namespace = settings.namespace or "default"
    _check_usage(manifests, paths, chosen)
    behaviour = _behaviour(settings)
    outputs = options.output_files(chosen["output_file"], _FILE_FORMATS)
    there, brought = options.sources_of(paths), options.sources_of(manifests, settings.exclude)
    options.refuse_to_overwrite_inputs(
        outputs, (source.path for source in (*there, *brought) if source.path is not None)
    )
    texts = {source.name: _text_of(source) for source in brought}

    cluster, originals, in_part = read_inventory(there, settings.gates, quiet=chosen["quiet"])
    stop_for_findings(texts, behaviour.release, settings.gates, chosen)
    items = [item.typed for text in texts.values() for _, item in objects_of(text)]
    packs = known_packs(settings.driver_packs, settings.driver_versions, settings.driver_gates)
    added = [*add_classes(cluster, packs, items), *add_made(cluster, packs, items, namespace)]
    before = Cluster(dict(cluster.objects), absent=cluster.absent, in_part=cluster.in_part)
    own, server, applied = Cluster(), ApiServer(cluster, behaviour), []
    for item in items:
        key = server.apply(item, namespace)
        if key is not None:
            own.objects[key] = cluster.objects[key]
            applied.append((key, str(dict_of(item.get("metadata")).get("namespace") or "")))
            item = cluster.objects[key] if key[0] == "Pod" else item
        if key is not None or not server.refused_last:
            originals.append((item, True))
    stop_for_changes(before, applied, texts, behaviour, chosen)
    workloads = workloads_asked(cluster, own, originals, namespace, chosen)
    for workload in workloads or ():
        if workload.number is not None and cluster.runs_for(workload.namespace, workload.name):
            workload.unread += (f"how the controller of a {workload.kind} replaces Pods that run",)
    try:
        questions = questions_on(cluster, server.quotas, behaviour, chosen)
        asked = questions.pending() if workloads is None and not chosen["evict"] else workloads or []
        answers = ask(questions, before if applied else None, asked, chosen)
        _name_faults_met(zip(asked, answers, strict=False), questions, originals, settings, packs)
        answers = [*refusals(server), *answers]
        remarks = [*added, *notes(questions)]
        if chosen["pending"]:
            custom = (each for item, _ in originals if not _is_own_workload(item) for each in makers(item, namespace))
            remarks += without_pods(cluster, custom)
        if in_part:
            remarks.append("the inventory is not read in full, so no answer is certain")
        files = [(path, _render(format_, answers, remarks, questions, chosen)) for format_, path in outputs]
    except click.UsageError:
        raise
    except Exception as error:  # noqa: BLE001 - what is not judged beforehand must not end in a traceback
        give_up(internal_error("", error, "in the simulation").message)
    deliver(answers, remarks, questions, chosen, files, in_part=in_part)


def _check_usage(manifests: Sequence[str], inventory: Sequence[str], chosen: Chosen) -> None:
    if not inventory:
        raise click.UsageError("--inventory is missing: the objects of a cluster, as kubectl writes them")
    if sum((chosen["sequence"], chosen["pending"], chosen["how_many"], chosen["evict"])) > 1:
        raise click.UsageError(
            "--sequence, --pending, --how-many and --evict are different questions: give one of them"
        )
    if chosen["pending"] and (manifests or chosen["pods"] or chosen["claims"]):
        raise click.UsageError("--pending simulates the Pods of the inventory: leave out manifests, --pod and --claim")
    if not manifests and not (chosen["pending"] or chosen["pods"] or chosen["claims"] or chosen["evict"]):
        raise click.UsageError("nothing to simulate: give manifests, --pod, --claim, --pending or --evict")
    if [*manifests, *inventory].count("-") > 1:
        raise click.UsageError("standard input (-) can be read once")


def _behaviour(settings: Settings) -> Behaviour:
    with wrong_usage(ValueError, of="--kubernetes-version: "):
        release = (settings.releases or known_releases())[-1]
        return behaviour(release, dict(settings.gates), settings.patch(release))


def _scenarios(path: str, *, quiet: bool) -> None:
    try:
        raw = read_stdin() if path == "-" else read_file(path)
        lines = raw.decode("utf-8", "replace").split("\n")
    except OSError as error:
        raise click.UsageError(f"--scenarios: {path} {unread(path, error).message}") from error
    with progress(len(lines), quiet=quiet, noun="scenarios") as advance:
        for line in filter(str.strip, lines):
            show_json(json.dumps(answer(line)))
            if advance is not None:
                advance(1)
