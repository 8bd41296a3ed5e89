"""The runs of a sweep, from its file (see `sweep_file`)."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import re2
from pydantic import JsonValue

from controlplane.configuration.setting_sources import Resolved, resolve
from controlplane.errors import UsageError, as_usage_error
from controlplane.gates.surrogates import encodable
from controlplane.journal.text_references import key_of
from controlplane.lifecycle.resources.run_spec import RunSpec
from controlplane.lifecycle.run_plan import RunPlan
from controlplane.mcp.tool_access import tool_access
from controlplane.sandbox.interface import bounds
from controlplane.sweep.sweep_file import SweepFile, combinations, read_sweep_file

MOST_NAME_CHARS: Final = 200
MOST_SLUG_CHARS: Final = 80
DIGEST_CHARS: Final = 4
"""The length of the digest after a slug, which tells labels with the same slug apart.
For example, `parts=+a` and `parts=-a` both have the slug `parts-a`."""
_NOT_IN_FILE_NAMES: Final = re2.compile(r"[^A-Za-z0-9.]+")
"""Characters of a label that are replaced in the name of its journal: ` = ` in `model = a`."""


def read_sweep(
    path: Path,
    *,
    caps: Mapping[str, float] | None = None,
    tools: dict[str, Any] | None = None,
) -> dict[str, RunPlan]:
    """Return the runs that the file at `path` describes, with the base first.

    The key of a run is its label (see `_label_of`). All runs have the limits `caps` (such
    as `run_cost`), and the MCP servers in `tools`. Raises `UsageError` with the file and the key.
    """
    file = read_sweep_file(path)
    variations = _variations(file, path, caps or {})
    if len(variations) > bounds.MOST_SWEEP_RUNS:
        msg = (
            f"{path}: {len(variations)} runs are more than {bounds.MOST_SWEEP_RUNS}; give axes fewer "
            "values, or list [[runs]]"
        )
        raise UsageError(msg)

    runs = {}
    for label, resolved in variations.items():
        access = tool_access(tools, resolved.mcp) if tools else None
        spec = RunSpec(resolved.settings, tools=access)
        digest = key_of(label)[:DIGEST_CHARS]
        run_id = f"{file.name}-{_slug_of(label)}-{digest}"
        runs[label] = RunPlan(spec, resolved.sources, file.tasks, run_id=run_id)
    return runs


def _variations(
    file: SweepFile, path: Path, caps: Mapping[str, float]
) -> dict[str, Resolved]:
    """Return the settings of each run, by its label: `base`, `model=a`, `model=a, gates=none`.

    `path` is the sweep's file, for messages. `caps` are limits that each run has.
    If an axis has the base's value, too, two labels have the same settings. That run is played
    once, under the first label.
    """
    variations = {}
    known: set[str] = set()
    for changes in combinations(file):
        label = _label_of(changes)
        values: dict[str, Any] = {**file.base, **changes, **caps}
        values["name"] = f"{file.name} {label}"[:MOST_NAME_CHARS]
        with as_usage_error(f"{path}, {label}", UsageError):
            resolved = resolve(values, os.environ, Path.cwd())
        settings = resolved.settings.model_dump_json(exclude={"name"})
        if settings not in known:
            known.add(settings)
            variations[label] = resolved
    return variations


def _label_of(changes: Mapping[str, JsonValue]) -> str:
    """Return the name of a run by its changes to the base: `model=a, gates=none`, or `base`."""
    if not changes:
        return "base"
    return ", ".join(f"{name}={value}" for name, value in changes.items())


def _slug_of(label: str) -> str:
    """Return a label as a part of a file's name: `model=a, gates=none` -> `model-a-gates-none`."""
    slug: str = _NOT_IN_FILE_NAMES.sub("-", encodable(label))
    return slug.strip("-.")[:MOST_SLUG_CHARS]
