"""Options and keys of other programs, with the way in dralint: what people write out of habit."""

_SHOWN = "`dralint fix` shows the corrections as a diff"
_WRITTEN = "`dralint fix --write` writes the corrections"
_FORMAT = "--format chooses the format (--format json), and --output-file json=FILE also writes a file"
_FILE = "write the path alone: dralint check FILE"
_BUILT = "pipe the result in: kustomize build DIR | dralint check -"
_BELOW = "dralint reads a folder with all folders below it; leave the option out"
_STRICT = "write --strict"
_RELEASE = "write --kubernetes-version RELEASE"
_CLUSTER = "dralint asks no cluster; pipe the objects in: kubectl get ... -o yaml | dralint check -"
_WARNINGS = "write --fail-on warning"
_IGNORED = "write --ignore RULE"
_IN_PLACE = "write --write"
_ONLY_SHOWN = "`dralint fix` changes no file without --write; leave the option out"

OPTIONS = {
    "check": {
        "--diff": _SHOWN,
        "--fix": _WRITTEN,
        "--write": _WRITTEN,
        "-w": _WRITTEN,
        "-i": _WRITTEN,
        "--in-place": _WRITTEN,
        "-f": _FILE,
        "--file": _FILE,
        "--filename": _FILE,
        "-k": _BUILT,
        "--kustomize": _BUILT,
        "-R": _BELOW,
        "-r": _BELOW,
        "--recursive": _BELOW,
        "-o": _FORMAT,
        "--output": _FORMAT,
        "--json": "write --format json",
        "--sarif": "write --format sarif",
        "--profile": _STRICT,
        "--ci": _STRICT,
        "--kube-version": _RELEASE,
        "--k8s-version": _RELEASE,
        "--kubeconfig": _CLUSTER,
        "--context": _CLUSTER,
        "--dry-run": "`dralint check` changes nothing; leave the option out",
        "--stdin": "write - in place of a path: dralint check -",
        "--list-rules": "`dralint rules` lists them",
        "--skip": _IGNORED,
        "--disable": _IGNORED,
        "--enable": "write --select RULE",
        "--schema-location": "--schemas names the types of releases, and --driver-schema those of a driver",
        "--werror": _WARNINGS,
        "--warnings-as-errors": _WARNINGS,
        "--max-warnings": _WARNINGS,
    },
    "fix": {
        "--diff": _ONLY_SHOWN,
        "--dry-run": _ONLY_SHOWN,
        "--fix": _IN_PLACE,
        "-w": _IN_PLACE,
        "-i": _IN_PLACE,
        "--in-place": _IN_PLACE,
        "--unsafe": "write --unsafe-fixes",
    },
}
"""Command → option of another program → the way."""

KEYS = {
    "per-file-ignores": "write `ignores` with `rules` and `paths`",
    "per_file_ignores": "write `ignores` with `rules` and `paths`",
    "profile": "write `strict: true`",
    "rules": "`select` and `ignore` choose rules, and `severity` changes them",
    "disable": "write `ignore`",
    "skip": "write `ignore`",
    "enable": "write `select`",
    "extends": "a configuration includes no other one",
    "include": "name the files on the command line",
    "paths": "name the files on the command line",
    "files": "name the files on the command line",
}
"""Key in a configuration of another program → the way."""
