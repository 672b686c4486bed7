"""`dralint schema`: prints JSON Schemas for editors and other tools."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from dralint.cli import options
from dralint.cli.output import show_json, show_text, tell, wrong_usage
from dralint.config import table
from dralint.files.source import read_file, read_stdin
from dralint.finding.words import counted
from dralint.kubernetes import shipped
from dralint.kubernetes.release import Release
from dralint.schema import openapi, schemas

if TYPE_CHECKING:
    from collections.abc import Mapping

_FOLDER = click.Path(file_okay=False, path_type=Path)
_schemas = click.option(
    "--schemas",
    "directory",
    type=click.Path(file_okay=False, exists=True, path_type=Path),
    metavar="DIR",
    help="A folder from `dralint schema generate`: also use its releases.",
)


@click.group()
def schema() -> None:
    """Print or export the JSON Schemas of resource.k8s.io for editors and other tools.

    The schemas contain what JSON Schema can express: fields, types, lengths, patterns, enums, required fields. They
    never refuse an object that a server with all feature gates accepts. `dralint check` reports more.
    """


@schema.command("list")
@_schemas
def list_(directory: Path | None) -> None:
    """List the releases, their API versions and kinds."""
    for release in _known(directory):
        kinds = _types(release, directory)["kinds"]
        for api_version in sorted(kinds):
            names = " ".join(sorted(row["kind"] for row in kinds[api_version]))
            show_text(f"{release}  {api_version}  {names}")


@schema.command(short_help="Print the schema of a configuration file.")
def config() -> None:
    """Print the JSON Schema of a configuration file (.dralint.yaml, or [tool.dralint] in pyproject.toml)."""
    show_json(json.dumps(table.schema(), indent=2))


@schema.command(short_help="Print the schema of one kind.")
@click.argument("release")
@click.argument("kind", metavar="API_VERSION/KIND")
@_schemas
def show(release: str, kind: str, directory: Path | None) -> None:
    """Print the schema of one kind.

    \b
    dralint schema show latest resource.k8s.io/v1/ResourceClaim

    The group can be left out (v1/ResourceClaim).
    """
    judging = _release(release, directory)
    found = schemas.of_document(judging, _types(judging, directory))
    version, _, name = kind.rpartition("/")
    matches = [
        key for key in found if key[1].lower() == name.lower() and version in (key[0], key[0].rpartition("/")[2])
    ]
    if not matches:
        there = ", ".join(f"{v.rpartition('/')[2]}/{k}" for v, k in sorted(found))
        _stop(f"{judging} has no schema for {kind!r}; it has: {there}")
    show_json(schemas.text(found[matches[0]]).removesuffix("\n"))


@schema.command()
@click.option(
    "--kubernetes-version",
    "versions",
    multiple=True,
    default=("latest",),
    metavar="RELEASE",
    shell_complete=options.complete_releases,
    help="A Kubernetes release such as 1.34, or latest (the default); repeatable.",
)
@click.option("--output", type=_FOLDER, metavar="DIR", help="Write a file for each API version and kind below DIR.")
@click.option(
    "--layout",
    metavar="TEMPLATE",
    help="The names of the files; the default is kubeconform's {{.ResourceKind}}{{.KindSuffix}}.json. Further names:"
    " Release, Kind, Group, ResourceAPIVersion, NormalizedKubernetesVersion, StrictSuffix.",
)
@click.option(
    "--bundle",
    type=click.Path(dir_okay=False, allow_dash=True, path_type=Path),
    metavar="FILE",
    help="Write one file for all kinds, for an editor; - for standard output.",
)
@click.option("--force", is_flag=True, help="Replace files that exist.")
@_schemas
def export(
    versions: tuple[str, ...],
    output: Path | None,
    layout: str | None,
    bundle: Path | None,
    force: bool,
    directory: Path | None,
) -> None:
    """Write the schemas in the layout of another tool.

    \b
    dralint schema export --output DIR
    kubeconform -schema-location 'DIR/{{.ResourceKind}}{{.KindSuffix}}.json' ...

    \b
    dralint schema export --bundle resource.k8s.io.json
    """
    if (output is None) == (bundle is None):
        _stop("name the output: --output DIR for one file per schema, or --bundle FILE for a single file")
    releases = list(dict.fromkeys(_release(version, directory) for version in versions))
    built = {release: schemas.of_document(release, _types(release, directory)) for release in releases}
    if bundle is not None:
        if len(releases) > 1:
            _stop("a bundle is of one release: give --kubernetes-version once")
        if layout is not None:
            _stop("--layout names the files of --output; a bundle is one file")
        text = schemas.text(
            schemas.bundle(releases[0], built[releases[0]], _types(releases[0], directory)["schemas"]["v1"])
        )
        if str(bundle) == "-":
            show_json(text.removesuffix("\n"))
            return
        _write({bundle: text}, force=force)
        tell(f"{bundle}: written")
    elif output is not None:
        with wrong_usage(schemas.LayoutError):
            placed = schemas.layout_files(layout or schemas.LAYOUT, built)
        _write({output / path: schemas.text(content) for path, content in placed.items()}, force=force)
        tell(f"{output}: {counted(len(placed), 'schema')} written")


@schema.command(short_help="Add a release that dralint does not know yet.")
@click.argument("documents", nargs=-1, required=True, metavar="FILE...")
@click.option(
    "--kubernetes-version",
    "version",
    metavar="RELEASE",
    help="The Kubernetes release, such as 1.38, if the documents do not name it.",
)
@click.option("--output", type=_FOLDER, required=True, metavar="DIR", help="The folder to write to.")
@click.option("--force", is_flag=True, help="Replace files that exist.")
def generate(documents: tuple[str, ...], version: str | None, output: Path, force: bool) -> None:
    """Add a release that dralint does not know yet, from the OpenAPI documents of its API server.

    Name the documents of all its API versions at once. For Pods, add /openapi/v3/api/v1 if it has changed.

    \b
    kubectl get --raw /openapi/v3/apis/resource.k8s.io/v1 > v1.json
    dralint schema generate v1.json --kubernetes-version 1.38 --output DIR
    dralint check --schemas DIR --kubernetes-version 1.38 ...

    Rules and limits are those of the newest known release.
    """
    with wrong_usage(openapi.OpenApiError):
        parsed = {name: openapi.parse(_read(name), name) for name in documents}
        release = _named(version, [openapi.version_of(document) for document in parsed.values()])
        core = shipped.openapi(str(_core_release(release)))["schemas"][openapi.CORE]
        trimmed = openapi.combine(str(release), parsed, core)
    out = {output / "upstream" / f"{release}.json": schemas.text(trimmed)}
    try:
        made = schemas.of_document(release, trimmed)
    except (LookupError, TypeError, ValueError, AttributeError, RecursionError) as error:
        _stop(f"{', '.join(documents)}: this is not the OpenAPI of an API server ({type(error).__name__}: {error})")
    for (api_version, kind), content in made.items():
        out[output / schemas.file_name(release, api_version, kind)] = schemas.text(content)
    contents = output / "index.json"
    if contents.exists() and not force and not schemas.is_index(contents):
        _stop(f"{contents} is there already, and no table of contents of schemas; replace with --force")
    _write(out, force=force)
    shipped.openapi.cache_clear()
    rows = schemas.index({other: _types(other, output) for other in _in_folder(output)})
    _write({contents: schemas.text(rows)}, force=True)


def _known(directory: Path | None) -> list[Release]:
    known = {Release.parse(name) for name in shipped.index()["releases"]["releases"]}
    return sorted(known | set(_in_folder(directory) if directory is not None else ()))


def _in_folder(directory: Path) -> list[Release]:
    names = (file.stem for file in (directory / "upstream").glob("*.json"))
    return sorted(Release.parse(name) for name in names if re.fullmatch(r"\d{1,3}\.\d{1,4}", name))


def _types(release: Release, directory: Path | None) -> dict[str, Any]:
    """Return the reduced OpenAPI of a release."""
    with wrong_usage(ValueError):
        return shipped.openapi(str(release), directory)


def _release(text: str, directory: Path | None) -> Release:
    known = _known(directory)
    if text == "latest":
        return known[-1]
    with wrong_usage(ValueError):
        release = Release.parse(text)
    if release not in known:
        _stop(f"there are no schemas for release {release}; there are: {', '.join(map(str, known))}")
    return release


def _core_release(release: Release) -> Release:
    """Return the newest known release up to this one."""
    known = _known(None)
    return max((other for other in known if other <= release), default=known[0])


def _named(version: str | None, found: list[str | None]) -> Release:
    """Return the release that the user or the documents name."""
    if version is not None:
        with wrong_usage(ValueError):
            return Release.parse(version)
    named: set[Release] = set()
    for text in found:
        try:
            named.add(Release.parse(text or ""))
        except ValueError:
            continue
    if len(named) != 1:
        what = "the documents do not name their release" if not named else "the documents are of several releases"
        _stop(f"{what}; say it: --kubernetes-version 1.38")
    return named.pop()


def _read(name: str) -> bytes:
    if name == "-":
        return read_stdin()
    try:
        return read_file(name)
    except OSError as error:
        _stop(f"{name}: {(error.strerror or str(error)).lower()}")


def _write(out: Mapping[Path, str], *, force: bool) -> None:
    there = schemas.existing(out)
    if there and not force:
        more = f" (and {len(there) - 1} more)" if len(there) > 1 else ""
        _stop(f"{there[0]} is there already{more}; replace with --force")
    try:
        schemas.write({path: text for path, text in out.items() if force or not path.exists()})
    except OSError as error:
        tell(f"Error: {error.filename or 'the output'}: {(error.strerror or str(error)).lower()}")
        sys.exit(3)


def _stop(message: str) -> NoReturn:
    raise click.UsageError(message)
