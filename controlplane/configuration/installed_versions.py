"""The versions of what is installed, as journals record them.

A journal is judged again later, perhaps by a newer version of the product. The recorded versions
tell then whether the gates, the prompts or the sandbox have changed since.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import platform
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from controlplane.agent.loop import Prompts, default_prompts
from controlplane.configuration.named_modules import BENCHMARKS
from controlplane.gates.rule_set_loading import module_of_rule_set
from controlplane.journal.run_events import Versions
from controlplane.package_version import package_version

# A hash of the Python source of modules, by which two installations are compared.
#
# `_source_hash(["controlplane.gates"])` -> `"3f9a0c17d2b8e645"`. It changes if any file of the
# package does, also on a machine where the package's version has stayed the same.

_HASH_CHARS: Final = 16
"""The length of a hash. It need not withstand forgery, so 64 bits are enough."""


def _source_hash(modules: Iterable[str]) -> str:
    """Return a hash of the Python files of these modules and packages."""
    digest = hashlib.sha256()
    for module in modules:
        for file in _sources(module):
            digest.update(file.name.encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()[:_HASH_CHARS]


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
    """Return the Python files below a package's folder, always in the same order.

    In a clone of the repository, some subpackages of `controlplane` are symbolic links,
    which `Path.rglob` does not follow.
    """
    files = []
    for parent, subfolders, names in os.walk(folder, followlinks=True):
        # `os.walk` visits the subfolders in the order that this list has afterwards.
        subfolders.sort()
        for name in sorted(names):
            if name.endswith(".py"):
                files.append(Path(parent, name))
    return files


EVIDENCE_MODULES: Final = (
    "controlplane.agent.evidence",
    "controlplane.agent.gated_exit",
    "controlplane.agent.trial_gates",
)
"""The modules that decide which evidence the gates judge an answer by."""


def current_versions(
    rule_sets: tuple[str, ...],
    world: str = "",
    prompts: Prompts | None = None,
    functions: tuple[str, ...] = (),
) -> Versions:
    """Return the installed versions, as a journal records them.

    - `rule_sets`: the names of the run's rule sets, which judge answers together with the gates.
    - `world`: the benchmark's own version of the worlds that it generates.
    - `prompts`: the prompt texts. None: the product's own.
    - `functions`: the modules of the functions that the benchmark offers to the model.
    """
    judging_packages = ["controlplane.gates"]
    judging_packages += _packages_of([module_of_rule_set(name) for name in rule_sets])
    functions_hash = ""
    if functions:
        functions_hash = _source_hash(_packages_of(functions))
    return Versions(
        controlplane=package_version(),
        python=platform.python_version(),
        gates=_source_hash(judging_packages),
        prompts=(prompts or default_prompts()).digest,
        evidence=_source_hash(EVIDENCE_MODULES),
        sandbox=_source_hash(["controlplane.sandbox"]),
        world=world,
        functions=functions_hash,
    )


def _packages_of(modules: Iterable[str]) -> list[str]:
    """Return the packages of these modules, each once, sorted: a module may use its neighbours."""
    return sorted({(module.rpartition(".")[0] or module) for module in modules})


def playing_digest(benchmark: str) -> str:
    """Return a text that two machines share if trials of a benchmark run the same on both.

    A worker on another machine plays a run's trials only if its text is that of the run. It
    covers Python's minor version, the prompt texts, the product's source, and the source of a
    benchmark of the user's own. `benchmark` is NAME[:ARGUMENT].
    """
    modules = ["controlplane"]
    name = benchmark.partition(":")[0]
    if name not in BENCHMARKS:
        modules.append(name)
    python = str(sys.version_info[:2])  # "(3, 11)"
    # The prompts are texts, which a hash of Python files does not cover.
    return python + default_prompts().digest + _source_hash(modules)
