"""The versions of what is installed, as journals record them.

A journal is judged again later, perhaps by a newer version. Hashes of the source tell
whether the gates, the prompts or the sandbox have changed since.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import platform
import sys
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path
from typing import Final

from controlplane.agent.loop import Prompts, default_prompts
from controlplane.configuration.named_modules import BENCHMARKS
from controlplane.gates.rule_set_loading import module_of_rule_set
from controlplane.journal.run_events import Versions

DISTRIBUTION = "grounded-control-plane"


def package_version() -> str:
    """Return the installed version, or `source` if the package is not installed."""
    try:
        return metadata.version(DISTRIBUTION)
    except metadata.PackageNotFoundError:
        return "source"


_DIGEST_CHARS: Final = 16
"""The length of a digest. It need not withstand forgery, so 64 bits are enough."""

EVIDENCE_MODULES: Final = (
    "controlplane.agent.evidence",
    "controlplane.agent.gated_exit",
    "controlplane.agent.submission",
)
"""The modules that decide which evidence the gates judge an answer by."""


def _digest(modules: Iterable[str]) -> str:
    """Return a hash of the Python files of these modules and packages."""
    digest = hashlib.sha256()
    for module in modules:
        for file in _sources(module):
            digest.update(file.name.encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()[:_DIGEST_CHARS]


def _sources(module: str) -> list[Path]:
    """Return the source files of a module or package; an empty list if it is not installed."""
    try:
        spec = importlib.util.find_spec(module)
    except ModuleNotFoundError:  # Its parent package is missing.
        spec = None
    if spec is None or spec.origin is None:
        return []
    if not spec.submodule_search_locations:
        return [Path(spec.origin)]
    return _python_files(Path(next(iter(spec.submodule_search_locations))))


def _python_files(folder: Path) -> list[Path]:
    """Return the Python files below a package's folder.

    In a clone of the repository, some subpackages of `controlplane` are symbolic links,
    which `Path.rglob` does not follow.
    """
    files = []
    for parent, _, names in os.walk(folder, followlinks=True):
        for name in names:
            if name.endswith(".py"):
                files.append(Path(parent, name))
    return sorted(files)


def source_digest(benchmark: str) -> str:
    """Return a hash that is equal on two machines if trials of a benchmark run the same on both.

    It covers Python's minor version, the prompt texts, the product's source, and the
    source of a benchmark that is not the product's. `benchmark` is NAME[:ARGUMENT].
    """
    modules = ["controlplane"]
    name = benchmark.partition(":")[0]
    if name not in BENCHMARKS:
        modules.append(name)
    python = str(sys.version_info[:2])  # "(3, 11)"
    # The prompts are texts, which a digest of Python files does not cover.
    return python + default_prompts().digest + _digest(modules)


def current_versions(
    rule_sets: tuple[str, ...],
    world: str = "",
    prompts: Prompts | None = None,
    functions: tuple[str, ...] = (),
) -> Versions:
    """Return the installed versions, as a journal records them.

    - `world`: the version of the benchmark's worlds.
    - `prompts`: the prompt texts. None: the product's own.
    - `functions`: the modules of the benchmark's functions.
    """
    rule_packages = {_package_of(module_of_rule_set(name)) for name in rule_sets}
    functions_digest = ""
    if functions:
        functions_digest = _digest(sorted({_package_of(name) for name in functions}))
    return Versions(
        controlplane=package_version(),
        python=platform.python_version(),
        gates=_digest(["controlplane.gates", *sorted(rule_packages)]),
        prompts=(prompts or default_prompts()).digest,
        evidence=_digest(EVIDENCE_MODULES),
        sandbox=_digest(["controlplane.sandbox"]),
        world=world,
        functions=functions_digest,
    )


def _package_of(module: str) -> str:
    """Return a module's package, or the module itself if it is in none.

    The digest covers the whole package, because the module may use its other modules.
    """
    return module.rpartition(".")[0] or module
