"""dralint: the API server's verdict on Kubernetes Dynamic Resource Allocation manifests, offline.

    import dralint

    report = dralint.lint_text(text, name="claims.yaml", kubernetes_version=["1.34"])
    for finding in report.findings:
        print(finding.line, finding.rule, finding.message)

    linter = dralint.Linter(kubernetes_version=["1.34"])  # make it once, use it often
    report = linter.check_objects([{"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", ...}])

Names are imported when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dralint.records import lazily

if TYPE_CHECKING:
    from dralint.api import Linter, lint_paths, lint_text, settings
    from dralint.config.choices import ChoiceError
    from dralint.config.configuration import ConfigurationError
    from dralint.config.settings import Settings
    from dralint.finding.finding import Finding, Related
    from dralint.finding.report import Failure, Report, Skipped

__version__ = "0.1.0"
__repository__ = "https://github.com/dralint/dralint"
__all__ = [
    "ChoiceError",
    "ConfigurationError",
    "Failure",
    "Finding",
    "Linter",
    "Related",
    "Report",
    "Settings",
    "Skipped",
    "__version__",
    "lint_paths",
    "lint_text",
    "settings",
]

_HOMES = {
    "ChoiceError": "config.choices",
    "ConfigurationError": "config.configuration",
    "Failure": "finding.report",
    "Finding": "finding.finding",
    "Linter": "api",
    "Related": "finding.finding",
    "Report": "finding.report",
    "Settings": "config.settings",
    "Skipped": "finding.report",
    "lint_paths": "api",
    "lint_text": "api",
    "settings": "api",
}

__getattr__ = lazily(globals(), _HOMES)
