"""Claims as text, and the findings of a release on them."""

from __future__ import annotations

from textwrap import indent

from dralint.finding.finding import Finding
from tests.judged import judged

NOTICES = ("DRA503", "DRA504", "DRA505", "DRA510")


def claim(devices: str, version: str = "v1", status: str = "") -> str:
    """Return a claim with the text below spec.devices, which starts at line 7."""
    head = f"apiVersion: resource.k8s.io/{version}\nkind: ResourceClaim\nmetadata: {{name: train, namespace: a}}\n"
    text = f"{head}spec:\n  # requests and more\n  devices:\n{indent(devices.strip() + chr(10), '    ')}"
    return text + (f"status:\n{indent(status.strip() + chr(10), '  ')}" if status else "")


def findings(text: str, release: str = "1.37", switched: str = "") -> list[Finding]:
    """Return what a release says, sorted; without what it says of the API version as such."""
    found = judged(text, release, switched=switched).findings
    return [finding for finding in found if finding.rule not in NOTICES]


def said(text: str, release: str = "1.37", switched: str = "") -> list[tuple[str, str, int, str]]:
    """Return rule, path, line and message of each finding; the note on the status is cut off."""
    return [
        (f.rule, f.path, f.line, f.message.removesuffix(" (judged as if written to the status subresource)"))
        for f in findings(text, release, switched)
    ]
