"""A hash of the Python source of modules, by which two installations are compared.

`source_hash(["controlplane.gates"])` -> `"3f9a0c17d2b8e645"`. It changes if any file of the
package does, also on a machine where the package's version has stayed the same.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Final

HASH_CHARS: Final = 16
"""The length of a hash. It need not withstand forgery, so 64 bits are enough."""


def source_hash(modules: Iterable[str]) -> str:
    """Return a hash of the Python files of these modules and packages."""
    digest = hashlib.sha256()
    for module in modules:
        for file in _sources(module):
            digest.update(file.name.encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()[:HASH_CHARS]


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


def package_of(module: str) -> str:
    """Return a module's package, or the module itself if it is in none.

    A hash covers the whole package, because the module may use its other modules.
    """
    return module.rpartition(".")[0] or module
