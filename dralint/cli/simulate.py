"""`dralint simulate`: shows which devices a Pod would get on which node, or why it would get none."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Unpack

import click

from dralint.cli import configuration, options
from dralint.cli.configuration import ConfiguredCommand
from dralint.cli.inventory import (
    add_classes,
    objects_in,
    read_inventory,
    sources_of,
    stop_for_changes,
    stop_for_findings,
    text_of,
)
from dralint.cli.option_types import OneOf
from dralint.cli.output import show_json, tell
from dralint.cli.simulate_output import FAILING, Chosen, deliver, written
from dralint.cli.simulated_workloads import ask, questions_on, refusals, workloads_asked
from dralint.finding.path import dict_of
from dralint.finding.report import internal_error, unread

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dralint.config.settings import Settings
    from dralint.simulate.behaviours import Behaviour

_FORMATS = ("text", "json", "jsonl")
_FILE_FORMATS = (*_FORMATS, "html")


class _Simulate(ConfiguredCommand):
    of_a_call = frozenset({"fail-on", "format"})
    besides = frozenset({"driver-packs", "slices"})


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
@options.option("feature-gates", help="Switch feature gates of the scheduler.")
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
    paths = chosen["inventory"] or settings.slices
    namespace = settings.namespace or "default"
    _check_usage(manifests, paths, chosen)
    behaviour = _behaviour(settings)
    outputs = options.output_files(chosen["output_file"], _FILE_FORMATS)
    there, brought = sources_of(paths), sources_of(manifests, settings.exclude)
    options.refuse_to_overwrite_inputs(
        outputs, (source.path for source in (*there, *brought) if source.path is not None)
    )
    texts = {source.name: text_of(source) for source in brought}

    from dralint.drivers.choice import known_packs
    from dralint.simulate.cluster import Cluster
    from dralint.simulate.faults import notes
    from dralint.simulate.server import ApiServer

    cluster, originals, in_part = read_inventory(there, settings.gates, quiet=chosen["quiet"])
    stop_for_findings(texts, behaviour.release, settings.gates, chosen)
    items = [item for text in texts.values() for item in objects_in(text)]
    of_charts = add_classes(cluster, known_packs(settings.driver_packs), items)
    before = Cluster(dict(cluster.objects), absent=cluster.absent, in_part=cluster.in_part)
    own, server, applied = Cluster(), ApiServer(cluster, behaviour), []
    for item in items:
        key = server.apply(item, namespace)
        if key is not None:
            own.objects[key] = cluster.objects[key]
            applied.append((key, str(dict_of(item.get("metadata")).get("namespace") or "")))
            originals.append((cluster.objects[key] if key[0] == "Pod" else item, True))
    stop_for_changes(before, applied, texts, behaviour, chosen)
    workloads = workloads_asked(cluster, own, originals, namespace, chosen)
    try:
        questions = questions_on(cluster, server.quotas, behaviour, chosen)
        answers = [*refusals(server), *ask(questions, before if applied else None, workloads, chosen)]
        remarks = [*of_charts, *notes(cluster, behaviour)]
        if in_part:
            remarks.append("the inventory is not read in full, so no answer is certain")
        files = [(path, written(format_, answers, remarks, questions, chosen)) for format_, path in outputs]
    except click.UsageError:
        raise
    except Exception as error:  # noqa: BLE001 - what is not judged beforehand must not end in a traceback
        tell(f"dralint: {internal_error('', error, 'in the simulation').message}")
        sys.exit(3)
    deliver(answers, remarks, behaviour, chosen, files, in_part=in_part)


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
        release = (settings.releases or known_releases())[-1]
        return behaviour(release, dict(settings.gates), settings.patch(release))
    except ValueError as error:
        raise click.UsageError(f"--kubernetes-version: {error}") from error


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
            show_json(json.dumps(answer))
    finally:
        if progress is not None:
            progress.finish()
