"""What this installation is: versions and hashes that decide whether a replay can be exact."""

from __future__ import annotations

import hashlib
import importlib.util
import platform
from importlib import metadata
from pathlib import Path

from agent.loop import prompts_digest
from controlplane.journal.run_events import Versions
from gates import REGISTERED

DISTRIBUTION = "grounded-control-plane"


def package_version() -> str:
    """Return the installed version, or `source` if the package is not installed."""
    try:
        return metadata.version(DISTRIBUTION)
    except metadata.PackageNotFoundError:
        return "source"


def gates_digest(packs: tuple[str, ...] = ()) -> str:
    """Return a hash over the source of the gates, of what fills their evidence, and of the rule packs named."""
    files = [*_sources("gates"), *_sources("agent.evidence.evidence_log"), *_sources("agent.evidence.path_aliases")]
    for each in packs:
        files += _sources(REGISTERED.get(each, each).partition(":")[0])
    digest = hashlib.sha256()
    for file in files:
        digest.update(file.name.encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def _sources(module: str) -> list[Path]:
    """Return the source files of a package and its sub-packages, or the one of a module."""
    spec = importlib.util.find_spec(module)
    if spec is None or spec.origin is None:
        return []
    if not spec.submodule_search_locations:
        return [Path(spec.origin)]
    return sorted(Path(next(iter(spec.submodule_search_locations))).rglob("*.py"))


def current_versions(packs: tuple[str, ...]) -> Versions:
    """Return what runs here now, with these rule packs."""
    return Versions(
        controlplane=package_version(),
        python=platform.python_version(),
        gates=gates_digest(packs),
        prompts=prompts_digest(),
    )
