"""Faults of the files that a trial has changed: which ones, and their new texts."""

from __future__ import annotations

import json
from collections.abc import Collection
from contextlib import suppress
from typing import Final

from controlplane.local_benchmark.expectation import Expectation
from controlplane.local_benchmark.json_faults import json_fault
from controlplane.local_benchmark.local_environment import (
    LocalEnvironment,
)

MAX_JSON_RATIO: Final = 10
"""A file is compared as JSON if it is at most this many times longer than the expected
text. A model may write any text, and parsing a huge one would take too long."""


def _listed(paths: Collection[str]) -> str:
    return " ".join(sorted(paths))


def change_faults(expected: Expectation, end: LocalEnvironment) -> list[str]:
    """Return the faults of the changed files: which files changed, and their new texts."""
    required = expected.changes or {}
    changed = {}
    for path, text in end.changes.items():
        if text != end.first_files.get(path):
            changed[path] = text

    faults = []
    if changed.keys() != required.keys():
        if required:
            faults.append(
                f"expected only file changes [{_listed(required)}], got [{_listed(changed)}]"
            )
        else:
            faults.append("expected no file changes")
    for path in sorted(changed.keys() & required.keys()):
        fault = _content_fault(
            path, changed[path], required[path], exact_ends=expected.exact_ends
        )
        if fault:
            faults.append(fault)
    return faults


def _content_fault(
    path: str, text: str | None, required: str | None, *, exact_ends: bool
) -> str:
    """Return a text about the difference in a file's content; empty if there is none.

    For JSON, it names the first field that differs.
    """
    if text and required:
        if not exact_ends:
            text = text.removesuffix("\n")
            required = required.removesuffix("\n")
        is_comparable = len(text) <= MAX_JSON_RATIO * len(required)
        if path.endswith(".json") and is_comparable:
            # The model's script wrote the text, so it may not be JSON.
            with suppress(ValueError, RecursionError):
                return json_fault(path, json.loads(text), json.loads(required))
    if text == required:
        return ""
    return f"file {path} content did not match expected export"
