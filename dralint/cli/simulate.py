"""`dralint simulate`: which devices would a Pod get on which node, and if none, why not?"""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

import click

from dralint import report as reports
from dralint.cli import candidates, configuration, options
from dralint.cli.configuration import ConfiguredCommand
from dralint.cli.one_of import OneOf
from dralint.cli.output import show_text, tell
from dralint.config.settings import Settings
from dralint.finding.report import Report, internal_error, unread
from dralint.finding.rule_ids import IMMUTABLE_FIELD
from dralint.report import Style

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from dralint.files.source import Source
    from dralint.kubernetes.release import Release
    from dralint.simulate.behaviours import Behaviour
    from dralint.simulate.cluster import Cluster, Key, Workload
    from dralint.simulate.questions import Answer, Questions
    from dralint.simulate.quotas import Quotas
    from dralint.simulate.server import ApiServer

_FORMATS = ("text", "json", "jsonl")
_FILE_FORMATS = (*_FORMATS, "html")
_FAILING = {
    "never": frozenset[str](),
    "none": frozenset({"none", "refused", "error", "waits", "evicted"}),
    "some": frozenset({"none", "refused", "error", "waits", "evicted", "some"}),
}
"""Value of --fail-on → the answers that make the exit status 1."""

_NOTHING = "nothing to decide: the manifests have no Pod with claims, no claim and no template\n"


class Chosen(TypedDict):
    """What the options say."""

    inventory: tuple[str, ...]
    pods: tuple[str, ...]
    claims: tuple[str, ...]
    nodes: tuple[str, ...]
    sequence: bool
    pending: bool
    evict: bool
    how_many: bool
    explain: str
    timeout: float
    format_: str
    output_file: tuple[str, ...]
    fail_on: str
    color: str
    quiet: bool
    scenarios: str | None


class _Simulate(ConfiguredCommand):
    of_a_call = frozenset({"fail-on", "format"})
    besides = frozenset({"slices"})


@click.command(cls=_Simulate, short_help="Simulate the scheduler: which devices does a Pod get, and why not?")
@click.argument("manifests", nargs=-1, metavar="[MANIFEST]...")
@configuration.options
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
@click.option(
    "--feature-gates",
    multiple=True,
    metavar="GATE=BOOL,...",
    shell_complete=candidates.gates,
    help="Switch feature gates of the scheduler.",
)
@click.option(
    "--exclude",
    multiple=True,
    metavar="GLOB",
    help="Skip these manifests; the patterns are those of .gitignore; repeatable.",
)
@click.option("--namespace", metavar="NS", help="The namespace of manifests that have none.  [default: default]")
@click.option("--sequence", is_flag=True, help="Place one Pod after the other; each takes devices away from the next.")
@click.option("--pending", is_flag=True, help="Check every Pod of the inventory that has claims and waits.")
@click.option("--evict", is_flag=True, help="Show only which running Pods the taints of devices end, and when.")
@click.option("--how-many", is_flag=True, help="Show how many more of each Pod fit, on which nodes, and what runs out.")
@click.option(
    "--explain",
    type=OneOf(["auto", "never", "always"]),
    default="auto",
    show_default=True,
    help="When to show the reasons for nodes that do not fit; auto: if no node fits, or with --node.",
)
@click.option(
    "--timeout",
    type=click.FloatRange(min=0),
    default=10.0,
    show_default=True,
    metavar="SECONDS",
    help="The time limit per node, like the scheduler's; 0 means none.",
)
@click.option(
    "--format", "format_", type=OneOf(_FORMATS), default="text", show_default=True, help="The format of the output."
)
@click.option(
    "--output-file",
    multiple=True,
    metavar="FORMAT=PATH",
    help="Also write the answers to this file; repeatable. html writes a page with the devices of every node.",
)
@click.option(
    "--fail-on",
    type=OneOf(list(_FAILING)),
    default="none",
    show_default=True,
    help="End with status 1 if a Pod fits on no node (none), or not on all nodes (some).",
)
@options.color
@click.option("-q", "--quiet", is_flag=True, help="Do not show the progress.")
@click.option(
    "--scenarios",
    metavar="FILE.jsonl",
    help="Answer many independent questions: one JSON object per line, one answer per line.",
)
def simulate(manifests: tuple[str, ...], settings: Settings, **chosen: Unpack[Chosen]) -> None:
    """Simulate the scheduler's allocation of devices, offline.

    MANIFEST is a file, a directory, or - for standard input, with the objects that you are about to apply: Pods,
    workloads, claims, templates, classes, taint rules, quotas. dralint applies them to the inventory as the API server
    does. If the server rejects a manifest, dralint prints the findings and does not simulate.

    \b
    kubectl writes an inventory:
    kubectl get -A -o yaml \\
      resourceslices,deviceclasses,nodes,resourceclaims,resourceclaimtemplates,\\
      devicetaintrules,namespaces,resourcequotas,pods,deployments,statefulsets

    Exit status: 0 every Pod runs on some node, 1 a Pod does not run (--fail-on) or a manifest is rejected,
    2 wrong usage, 3 could not finish or decide.
    """
    if chosen["scenarios"] is not None:
        if manifests or chosen["inventory"]:
            raise click.UsageError("--scenarios brings its own inventory: no manifests and no --inventory with it")
        _scenarios(chosen["scenarios"], quiet=chosen["quiet"])
        return
    inventory = chosen["inventory"] or settings.slices
    namespace = settings.namespace or "default"
    _check_usage(manifests, inventory, chosen)
    behaviour = _behaviour(settings)
    outputs = options.output_files(chosen["output_file"], _FILE_FORMATS)
    there, brought = _sources(inventory), _sources(manifests, settings.exclude)
    options.keep_inputs(outputs, (source.path for source in (*there, *brought) if source.path is not None))
    texts = {source.name: _read(source) for source in brought}

    from dralint.simulate.cluster import Cluster, mapping
    from dralint.simulate.server import ApiServer

    cluster, originals = _inventory(there, settings.gates, chosen)
    before = Cluster(dict(cluster.objects))
    _stop_for_findings(texts, behaviour.release, settings.gates, chosen)
    own, server, applied = Cluster(), ApiServer(cluster, behaviour), []
    for source in brought:
        for item in _objects(texts[source.name]):
            key = server.apply(item, namespace)
            if key is not None:
                own.objects[key] = cluster.objects[key]
                applied.append((key, str(mapping(item.get("metadata")).get("namespace") or "")))
                originals.append((cluster.objects[key] if key[0] == "Pod" else item, True))
    _stop_for_changes(before, applied, texts, behaviour, chosen)
    workloads = _workloads(cluster, own, originals, namespace, chosen)
    try:
        questions = _questions(cluster, server.quotas, behaviour, chosen)
        answers = [*_refusals(server), *_ask(questions, before if applied else None, workloads, settings, chosen)]
        remarks = _remarks(cluster, behaviour)
        written = [(path, _written(format_, answers, remarks, questions, chosen)) for format_, path in outputs]
    except click.UsageError:
        raise
    except Exception as error:  # noqa: BLE001 - what is not judged beforehand must not end in a traceback
        tell(f"dralint: {internal_error('', error, 'in the simulation').message}")
        sys.exit(3)
    _deliver(answers, remarks, behaviour, chosen, written)


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
    from dralint.kubernetes.served import known_releases
    from dralint.simulate.behaviours import behaviour

    try:
        return behaviour((settings.releases or known_releases())[-1], dict(settings.gates))
    except ValueError as error:
        raise click.UsageError(f"--kubernetes-version: {error}") from error


def _sources(paths: Sequence[str], exclude: Sequence[str] = ()) -> list[Source]:
    from dralint.files.discover import discover

    found = discover(paths, exclude)
    if found.missing:
        raise click.UsageError(f"the path {found.missing[0]!r} does not exist")
    for failure in found.failures:
        tell(f"dralint: {failure.file}: {failure.message}")
        sys.exit(3)
    return found.sources


def _read(source: Source) -> bytes:
    try:
        return source.read()
    except OSError as error:
        tell(f"dralint: {source.name} {unread(source.name, error).message}")
        sys.exit(3)


def _inventory(
    sources: Sequence[Source], gates: tuple[tuple[str, bool], ...], chosen: Chosen
) -> tuple[Cluster, list[tuple[dict[str, Any], bool]]]:
    """Return the cluster of the inventory, and its objects that are or make Pods; end where it cannot be one."""
    import gc

    from dralint.cli.progress import for_run
    from dralint.files.parts import size_of
    from dralint.kubernetes.workloads import POD_SPECS
    from dralint.lint.dump import InventoryReader
    from dralint.simulate.cluster import Cluster

    progress = for_run(sum(map(size_of, sources)), quiet=chosen["quiet"], noun="bytes of the inventory")
    dump = InventoryReader(gates, None if progress is None else progress.advance)
    cluster, originals = Cluster(), []
    gc.disable()  # nothing of the inventory refers to itself, and looking for it takes a fifth of the time
    for source in sources:
        try:
            for item in dump.objects(source):
                cluster.add(item)
                if (item["apiVersion"], item["kind"]) in POD_SPECS:
                    originals.append((item, False))
        except OSError as error:
            tell(f"dralint: {source.name} {unread(source.name, error).message}")
            sys.exit(3)
    gc.freeze()
    gc.enable()
    gc.set_threshold(100_000)
    if progress is not None:
        progress.finish()
    if dump.report.findings or dump.report.failures:
        dump.report.sort()
        sys.exit(_show_report(dump.report, chosen))
    if dump.unreadable:
        tell(f"dralint: {dump.unreadable}")
        sys.exit(3)
    return cluster, originals


def _objects(raw: bytes) -> Iterator[dict[str, Any]]:
    from dralint.manifest.objects import objects_of

    for _, item in objects_of(raw):
        yield {**item.data, "apiVersion": item.api_version, "kind": item.kind}


def _stop_for_findings(
    texts: dict[str, bytes], release: Release, gates: tuple[tuple[str, bool], ...], chosen: Chosen
) -> None:
    """End with the findings on manifests that the API server refuses."""
    from dralint.lint.linter import Linter
    from dralint.lint.pool import Task, judge_bytes

    settings = Settings(releases=(release,), gates=gates, ignore_status=False)
    linter, whole = Linter(settings), Report()
    for name, raw in texts.items():
        whole.extend(judge_bytes(linter, name, raw, Task(settings, excerpts=True)).report)
    whole.findings = [finding for finding in whole.findings if finding.effect in ("unreadable", "rejected")]
    if whole.findings or whole.failures:
        whole.sort()
        sys.exit(_show_report(whole, chosen))


def _stop_for_changes(
    before: Cluster, keys: Iterable[tuple[Key, str]], texts: dict[str, bytes], behaviour: Behaviour, chosen: Chosen
) -> None:
    """End with the findings on manifests that change what cannot be changed of a live object."""
    from dralint.files.source import Text
    from dralint.update.linter import Updates
    from dralint.update.live import old_side

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
    from dralint.cli.deliver import to_stdout

    format_ = "text" if chosen["format_"] == "text" else "json"
    to_stdout(reports.render(format_, report, reports.Style()), format_)
    for failure in report.failures:
        tell(f"dralint: {failure.file}: {failure.message}")
    tell("dralint: not simulated: the API server would refuse the objects above")
    return 3 if report.failures else 1


def _workloads(
    cluster: Cluster,
    own: Cluster,
    originals: Sequence[tuple[dict[str, Any], bool]],
    namespace: str,
    chosen: Chosen,
) -> list[Workload] | None:
    """Return what is asked about; None for the Pods of the inventory that wait."""
    from dralint.simulate.cluster import pod_for_claim, workload_of
    from dralint.simulate.questions import workloads_of

    if chosen["pending"]:
        return None
    if not (chosen["pods"] or chosen["claims"]):
        return workloads_of(own, [item for item, mine in originals if mine], namespace)
    asked: list[Workload] = []
    every = [w for item, _ in originals if (w := workload_of(item, namespace)) is not None]
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
    """Return by which names --pod may call a Pod."""
    whole, kind = f"{workload.namespace}/{workload.name}", workload.kind.lower()
    if kind == "pod":
        return [whole, workload.name]
    return [f"{kind}/{workload.name}", f"{kind}/{whole}"]


def _some(names: Iterator[str]) -> str:
    shown = sorted(set(names))
    return f"there are {', '.join(shown[:8])}{' and more' if len(shown) > 8 else ''}" if shown else "there are none"


def _refusals(server: ApiServer) -> list[Answer]:
    """Return the objects that the API server does not take."""
    from dralint.simulate.questions import Answer

    return [
        Answer(f"{kind.lower()} {namespace}/{name}", refused=said, by_server=True)
        for (kind, namespace, name), said in server.refused.items()
    ]


def _questions(cluster: Cluster, quotas: Quotas, behaviour: Behaviour, chosen: Chosen) -> Questions:
    from dralint.simulate.questions import Questions

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


def _ask(
    questions: Questions,
    before: Cluster | None,
    workloads: list[Workload] | None,
    settings: Settings,
    chosen: Chosen,
) -> list[Answer]:
    from dralint.cli.progress import for_run

    if chosen["evict"]:
        return questions.evictions()
    if workloads is None:
        workloads = questions.pending()
    progress = for_run(len(workloads) * len(questions.nodes), quiet=chosen["quiet"], noun="nodes")
    if progress is not None:
        questions.advance = progress.advance
    try:
        answers = _answers(questions, workloads, chosen)
        if not (chosen["sequence"] or chosen["how_many"]):
            _name_faults(questions, list(zip(workloads, answers, strict=True)), settings)
        return [*answers, *(questions.evictions(before) if before is not None else ())]
    finally:
        if progress is not None:
            progress.finish()


def _name_faults(questions: Questions, asked: Sequence[tuple[Workload, Answer]], settings: Settings) -> None:
    if any(answer.answer != "all" for _, answer in asked):
        from dralint.simulate.faults import name_faults  # most answers are good

        patches: dict[Release, list[int]] = {}
        for release, patch in settings.patches:
            patches.setdefault(release, []).append(patch)
        name_faults(questions, asked, patches)


def _remarks(cluster: Cluster, behaviour: Behaviour) -> list[str]:
    from dralint.simulate.faults import notes

    return list(notes(cluster, behaviour))


def _answers(questions: Questions, workloads: list[Workload], chosen: Chosen) -> list[Answer]:
    if chosen["sequence"]:
        return questions.sequence(workloads)
    one: Callable[[Workload], Answer] = questions.how_many if chosen["how_many"] else questions.ask
    return [one(workload) for workload in workloads]


def _deliver(
    answers: list[Answer], remarks: list[str], behaviour: Behaviour, chosen: Chosen, written: Sequence[tuple[Path, str]]
) -> None:
    from dralint.cli import terminal
    from dralint.cli.deliver import to_stdout
    from dralint.files.atomic import write_atomically

    status = 1 if any(answer.answer in _FAILING[chosen["fail_on"]] for answer in answers) else 0
    if any(answer.answer == "undecided" for answer in answers):
        status = 3
    for path, text in written:
        try:
            write_atomically(path, text.encode("utf-8", "backslashreplace"))
        except OSError as error:
            tell(f"dralint: {path} cannot be written: {error.strerror}")
            status = 3
    style = terminal.style(chosen["color"], sys.stdout, os.environ)
    text = _render(chosen["format_"], answers, remarks, behaviour, chosen, style)
    to_stdout(text, "text" if chosen["format_"] == "text" else "json")
    sys.exit(status)


def _written(format_: str, answers: list[Answer], remarks: list[str], questions: Questions, chosen: Chosen) -> str:
    """Return the answers in the format of a file."""
    if format_ != "html":
        return _render(format_, answers, remarks, questions.behaviour, chosen, Style())
    from dralint.simulate.page import page

    def text_of(answer: Answer) -> str:
        return _render("text", [answer], [], questions.behaviour, chosen, Style())

    return page(answers, questions, text_of, remarks)


def _render(
    format_: str, answers: list[Answer], remarks: list[str], behaviour: Behaviour, chosen: Chosen, style: Style
) -> str:
    if format_ == "text":
        from dralint.kubernetes.served import full_name
        from dralint.report.screen import draw
        from dralint.simulate.text import parts, pending_parts

        if not answers and not chosen["pending"]:
            return "no Pod that runs is evicted\n" if chosen["evict"] else _NOTHING
        said = (pending_parts if chosen["pending"] else parts)(answers, full_name(str(behaviour.release)))
        return draw([*said, *(["", *(f"note: {remark}" for remark in remarks)] if remarks else [])], style)
    from dralint.simulate.document import document, question

    if format_ == "jsonl":
        return "".join(json.dumps(question(answer)) + "\n" for answer in answers)
    return json.dumps(document(answers, behaviour, remarks), indent=1) + "\n"


def _scenarios(path: str, *, quiet: bool) -> None:
    from dralint.cli.progress import for_run
    from dralint.files.source import read_file, read_stdin
    from dralint.simulate.scenarios import answers

    try:
        raw = read_stdin() if path == "-" else read_file(path)
        lines = raw.decode("utf-8", "replace").split("\n")
    except OSError as error:
        raise click.UsageError(f"--scenarios: {path} {unread(path, error).message}") from error
    progress = for_run(len(lines), quiet=quiet, noun="scenarios")
    try:
        for answer in answers(lines, None if progress is None else progress.advance):
            show_text(json.dumps(answer))
    finally:
        if progress is not None:
            progress.finish()
