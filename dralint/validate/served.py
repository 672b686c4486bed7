"""Checks apiVersion and kind: refused, deprecated, removed, or off by default."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dralint.finding import rule_ids
from dralint.finding.problem import Meant, Problem, meant, renamed, replaced
from dralint.finding.words import quoted
from dralint.kubernetes.near import distance, is_slip, listed, near
from dralint.kubernetes.served import CLASSIC, SUCCESSORS, is_ours, nearly_ours, preference, shape, written_shape
from dralint.kubernetes.workloads import GROUP, POD_SPECS, WITHOUT_CLAIMS
from dralint.records import grouped

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dralint.finding.problem import ByRelease
    from dralint.kubernetes.release import Release
    from dralint.kubernetes.served import ApiVersions, End
    from dralint.manifest.objects import ApiObject


def refusal(versions: ApiVersions, item: ApiObject, release: Release, chosen: Sequence[Release] = ()) -> Problem:
    """Return why the release refuses the object's apiVersion and kind.

    `chosen` are the releases that the user has chosen, in order; none where the newest judges.
    """
    kinds = _Kinds(versions, item.api_version, release, chosen)
    named = versions.versions(item.kind, release)
    if versions.enabled is not None and versions.is_disabled(item.api_version, item.kind, release):
        return _disabled(item, named)
    if not item.kind:
        return without_kind(item, f"one of {', '.join(kinds.here)}", [*kinds.here, *kinds.others])
    if not item.api_version:
        hint = f"for {item.kind} write apiVersion: {named[0]}" if named else None
        return Problem(rule_ids.NOT_A_MANIFEST, ("apiVersion",), "`apiVersion` is missing", "Required", hint)
    serving = [] if named else versions.serving(item.kind)
    shown = _shown(item.api_version)
    there = versions.versions(item.kind, serving[-1]) if serving else []
    if there and item.group != _group(there[0]):
        named = there  # the wrong group comes first
    if named:
        elsewhere = bool(chosen) and versions.newest_serving(item.api_version, item.kind) is not None
        common = _common(versions, item.kind, chosen) if elsewhere and len(chosen) > 1 else []
        if common:
            way = Meant(_for_all(versions, item, chosen, common[0]), None)
        else:
            way = _way_out(item, named, release, elsewhere=elsewhere)
            if serving:  # by another release
                way = Meant(way.hint, None)
        message = f"{item.kind} is not served in {shown}"
        return Problem(rule_ids.NOT_SERVED, ("apiVersion",), message, "NotServed", way.hint, repair=way.repair)
    home = next((version for version, kind in POD_SPECS if kind == item.kind), None)
    if home is not None:
        old = item.group != GROUP  # it may have been one before the known releases
        message = f"{item.kind} is not {'served in' if old else 'a kind of'} {shown}"
        rule = rule_ids.NOT_SERVED if old else rule_ids.UNKNOWN_KIND
        repair = replaced(("apiVersion",), home, safe=item.api_version == "v1")
        return Problem(rule, ("apiVersion",), message, "NotServed", f"write apiVersion: {home}", repair=repair)
    if serving:
        span = f"{serving[0]} to {serving[-1]}" if len(serving) > 1 else f"{serving[0]}"
        named = sorted({v for r in serving for v in versions.versions(item.kind, r)}, key=preference)
        message = f"{item.kind} is not served; {span} serve{'' if len(serving) > 1 else 's'} it, in {', '.join(named)}"
        successor = SUCCESSORS.get(item.kind)
        hint = f"{successor} replaces it" if successor and serving[-1] < release else None
        hint = hint or (kinds.listing if item.group == GROUP else None)
        mend = replaced(("kind",), successor) if (item.api_version, successor) in versions.served(release) else None
        return Problem(rule_ids.NOT_SERVED, ("kind",), message, "NotServed", hint, repair=mend)
    for names in (kinds.here, kinds.others):
        # A name with only a similar beginning may just as well be invented.
        close = [name for name in near(item.kind, names, 0.7) if 2 * distance(item.kind, name) <= len(name)]
        if close:
            way = meant(item.kind, close, ("kind",))
            if names is kinds.others:
                where = versions.versions(close[0], release)[0]
                way = Meant(f"{way.hint} {release} serves it in {where}", None)
            elif older := _older(item.kind, close[0], names):
                now = f'"{SUCCESSORS[older]}", which replaces {older}'
                way = Meant(f"did you mean {now}, or {listed(close, 'or')}?", None)
            if not is_ours(item.api_version):
                way = Meant(f"{way.hint} its apiVersion is {versions.versions(close[0], release)[0]}", way.repair)
            message = f'unknown kind "{item.kind}" in {shown}'
            return Problem(rule_ids.UNKNOWN_KIND, ("kind",), message, "NotServed", way.hint, repair=way.repair)
    message = f'no release serves kind "{item.kind}" in {shown}'
    return Problem(rule_ids.UNKNOWN_KIND, ("kind",), message, "NotServed", kinds.listing)


def _disabled(item: ApiObject, served: Sequence[str]) -> Problem:
    """Return the problem that the cluster does not serve an API version that its release knows."""
    message = f"the cluster does not serve {item.api_version} (--api-versions)"
    enable = f"the API server needs --runtime-config={item.api_version}=true"
    hint = f"{_take(item, served[0])}; otherwise {enable}" if served else enable
    return Problem(rule_ids.NOT_SERVED, ("apiVersion",), message, "NotServed", hint)


def without_kind(item: ApiObject, otherwise: str | None, kinds: Sequence[str]) -> Problem:
    """Return the problem that an object has no kind; suggest the key where a known kind is under a misspelt one."""
    missing = Problem(rule_ids.NOT_A_MANIFEST, ("kind",), "`kind` is missing", "Required", otherwise)
    key = next((key for key, value in item.data.items() if value in kinds and is_slip(key, "kind")), None)
    if key is None:
        return missing
    repair = renamed((key,), "kind", safe=True)
    return missing._replace(hint='did you mean "kind"?', where=(key,), target="key", repair=repair)


def _older(kind: str, near_to: str, kinds: Sequence[str]) -> str | None:
    """Return the kind of older releases that a name resembles more, if another kind has replaced it."""
    closest = distance(kind, near_to)
    return next((old for old, new in SUCCESSORS.items() if new in kinds and distance(kind, old) < closest), None)


class _Kinds:
    """The possible kinds of an object of an API version.

    Attributes:
        here: the kinds of the API version in the release; if the release does not serve it, and the user has not
            chosen it, those in the newest that does; else all of the release.
        others: the kinds that the release has only in other API versions.
        listing: a hint that names the kinds in `here`.
    """

    def __init__(self, versions: ApiVersions, api_version: str, release: Release, chosen: Sequence[Release]) -> None:
        def kinds(one: Release, version: str) -> list[str]:
            return sorted({kind for served, kind in versions.served(one) if served == version})

        serving = [one for one in reversed(versions.known) if is_ours(api_version) and kinds(one, api_version)]
        every = sorted({kind for version, kind in versions.served(release) if version.startswith(GROUP)})
        if release in serving or (serving and not chosen):
            where = release if release in serving else serving[0]
            self.here = kinds(where, api_version)
            self.listing = f"kinds of {api_version} in {where}: {', '.join(self.here)}"
        else:
            self.here = every
            self.listing = f"kinds of {release}: {', '.join(every)}"
        self.others = [kind for kind in every if kind not in self.here]


def removed(versions: ApiVersions, item: ApiObject, last: Release) -> Problem:
    """Return the problem that releases after `last` no longer serve the object; `last` has therefore judged it."""
    newest = versions.known[-1]
    now = versions.versions(item.kind, newest)
    message = f"{item.api_version} {item.kind} is served up to {last} only; dralint judged it by that release"
    successor = SUCCESSORS.get(item.kind)
    gone = f"{successor} replaces it" if successor else f"{newest} has no such kind"
    hint = _take(item, now[0]) if now else gone
    return Problem(rule_ids.REMOVED_API_VERSION, ("apiVersion",), message, None, hint)


def lifecycle(versions: ApiVersions, item: ApiObject, releases: Sequence[Release], *, named: bool = False) -> ByRelease:
    """Return the problem of an API version that releases serve, and the releases that have it.

    It is the announced end, with a note if the version must be enabled, or else that it must be enabled. If the user
    has `named` the releases, it is more than advice in those that serve another version by default.
    """
    ends = ((versions.ends(item.api_version, item.kind, release), release) for release in releases)
    ending = grouped((end, release) for end, release in ends if end is not None and end.deprecated <= release)
    optional = [release for release in releases if item.api_version not in versions.default(release)]
    if ending:
        hint = _change_over(versions, item, releases)
        return [
            (
                Problem(rule_ids.DEPRECATED_API_VERSION, ("apiVersion",), _deprecated(item, end, optional), None, hint),
                those,
            )
            for end, those in ending.items()
        ]
    instead = grouped((versions.by_default(item.kind, release), release) for release in optional)
    if named:
        return [
            (must_be_enabled(item) if to is None else _off_by_default(versions, item, releases), served)
            for to, served in instead.items()
        ]
    one = next(iter(instead)) if len(instead) == 1 else None
    return [(must_be_enabled(item, one), optional)] if optional else []


def _off_by_default(versions: ApiVersions, item: ApiObject, releases: Sequence[Release]) -> Problem:
    """Return the problem that a named release has this API version off by default, but serves another one."""
    message = f"{item.api_version} is off by default: the API server knows no such {item.kind} unless it is enabled"
    change = _change_over(versions, item, releases)
    hint = f"{change}; otherwise the API server needs --runtime-config={item.api_version}=true"
    return Problem(rule_ids.OFF_BY_DEFAULT, ("apiVersion",), message, None, hint)


def _deprecated(item: ApiObject, end: End, optional: Sequence[Release]) -> str:
    message = f"{item.api_version} {item.kind} is deprecated since {end.deprecated}"
    if end.gone is None:
        return message + ("; it is served only where the administrator has enabled it" if optional else "")
    message += f" and no longer served in {end.gone}"
    return message + ("; until then only where the administrator has enabled it" if optional else "")


def must_be_enabled(item: ApiObject, instead: str | None = None) -> Problem:
    """Return the problem that an API server accepts the API version only if enabled; `instead` is served by default."""
    message = f"{item.api_version} is only served where the administrator has enabled it"
    hint = f"the API server needs --runtime-config={item.api_version}=true"
    if instead is not None:
        hint = f"use {instead}, which is served by default; otherwise {hint}"
    return Problem(rule_ids.MUST_BE_ENABLED, ("apiVersion",), message, None, hint)


def _change_over(versions: ApiVersions, item: ApiObject, releases: Sequence[Release]) -> str | None:
    """Return which API version to use instead, and when: the change waits while a release does not serve it."""
    best = next((v for v in versions.versions(item.kind, releases[-1]) if v != item.api_version), None)
    if best is None:
        return None
    lacking = [release for release in releases if best not in versions.versions(item.kind, release)]
    if not lacking:
        return _take(item, best)
    since = next(release for release in versions.known if best in versions.versions(item.kind, release))
    when = f"{best} is served from {since} on: change over when no cluster runs {lacking[-1]} any more"
    common = _common(versions, item.kind, releases)
    also = f"; {common[0]} is the newest that all of {releases[0]} to {releases[-1]} serve" if common else ""
    return when + ("" if common[:1] == [item.api_version] else also)


def _common(versions: ApiVersions, kind: str, releases: Sequence[Release]) -> list[str]:
    """Return the API versions in which all of the releases serve a kind, the one to prefer first."""
    served = [versions.versions(kind, release) for release in releases]
    return [version for version in served[-1] if all(version in others for others in served)]


def _way_out(item: ApiObject, versions: list[str], release: Release, *, elsewhere: bool) -> Meant:
    """Return what to write instead of an API version that the release does not serve the kind in."""
    clean = "".join(item.api_version.split())
    if clean != item.api_version and clean in versions:
        alone = item.api_version.replace(" ", "", 1) == clean
        repair = replaced(("apiVersion",), clean, safe=True)
        return Meant("remove the space" if alone else "remove the white space", repair)
    home = _group(versions[0])
    same = next((v for v in versions if clean.lower().endswith(v.rpartition("/")[2])), None)
    form = None if item.group else written_shape(item.kind, item.data)
    if same == f"{home}/{item.api_version}" and form not in (None, shape(same, item.kind)):
        same = next((v for v in versions if shape(v, item.kind) == form), same)
    best = same or versions[0]
    if home == GROUP != item.group and nearly_ours(item.group):
        return Meant(f'did you mean "{best}"?', replaced(("apiVersion",), best, safe=True) if best == same else None)
    if item.group != home:
        repair = replaced(("apiVersion",), best, safe=best == f"{home}/{item.api_version}")
        return Meant(f"write apiVersion: {best}", repair if best == same else None)
    served = f" ({release} serves it in {', '.join(versions)})" if len(versions) > 1 else ""
    other = "; if the cluster runs another release, select it with --kubernetes-version" if elsewhere else ""
    return Meant(f"{_take(item, best)}{served}{other}", None)


def _take(item: ApiObject, version: str) -> str:
    """Return the hint to use another API version, and how to change fields that it has in other places."""
    if version == WITHOUT_CLAIMS:
        return f"{version} is the only one, and has no claims"
    before, after = shape(item.api_version, item.kind), shape(version, item.kind)
    if before == after:
        return f"use {version}"
    if after == CLASSIC:
        return f"use {version}, which has other fields: classes and parameters instead of requests"
    does = "shows what to write there" if before == CLASSIC else "moves the fields to their new places"
    return f"use {version}: `dralint migrate --to {version.rpartition('/')[2]}` {does}"


def _for_all(versions: ApiVersions, item: ApiObject, releases: Sequence[Release], best: str) -> str:
    """Return the hint for an API version that all of the releases serve, and the end or start of the own one."""
    serving = [r for r in versions.known if item.api_version in versions.versions(item.kind, r)]
    text = f"{_take(item, best)}; all of {releases[0]} to {releases[-1]} serve it"
    if serving and serving[0] > releases[0]:
        return f"{text}; {item.api_version} begins with {serving[0]}"
    return f"{text}; {item.api_version} ended with {serving[-1]}" if serving else text


def _group(api_version: str) -> str:
    return api_version.rpartition("/")[0]


def _shown(api_version: str) -> str:
    plain = api_version.isprintable() and not any(char.isspace() for char in api_version) and len(api_version) < 60
    return api_version if plain else quoted(api_version)
