"""Imports installed modules, and modules of the working folder.

A user names a module of their own, such as `--benchmark my_bank`, which is `my_bank.py`
in the folder where the command is called. That module may import others beside it.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Collection
from importlib.machinery import PathFinder
from importlib.util import module_from_spec
from pathlib import Path
from types import ModuleType
from typing import Final, TypeVar

_A = TypeVar("_A")
_R = TypeVar("_R")


def import_named(name: str) -> ModuleType:
    """Import an installed module, or one in the working folder, which may import others from there.

    The working folder is not added to `sys.path`, because then any library could import
    its files by mistake. Instead, when an import fails, the missing module is loaded
    from the folder by its path, and the import is tried again.
    """
    return _call_with_folder_modules(importlib.import_module, name)


def _call_with_folder_modules(function: Callable[[_A], _R], argument: _A) -> _R:
    """Return `function(argument)`, which may import modules of the working folder.

    If it fails because a module is missing, this module is loaded from the folder, and
    the function is called again, from its beginning. There is an end to this, because
    every repeated call finds one more module in `sys.modules`.
    """
    while True:
        try:
            return function(argument)
        except ModuleNotFoundError as error:
            missing = (error.name or "").partition(".")[0]
            # If `a` is imported already, only its part `a.b` is missing. Loading `a`
            # again would not help.
            if missing in sys.modules or not _load_from_folder(missing):
                raise


_pinned_folders: Final[dict[str, str]] = {}
"""The modules and packages that have a folder of their own, by `pin_modules`. Each is loaded
from that folder. All others are loaded from the working folder."""


def _load_from_folder(name: str) -> bool:
    """Load a top-level module or package from its folder: the working folder, unless it is pinned.

    Return False if it is not there. Raises any exception of the module's code.
    """
    try:
        folder = _pinned_folders.get(name) or str(Path.cwd())
        spec = PathFinder.find_spec(name, [folder])
    except OSError:  # The working folder is gone.
        return False
    if spec is None:
        return False

    module = module_from_spec(spec)
    sys.modules[name] = module
    if spec.loader is None:  # A package without `__init__.py` has no code to run.
        return True
    try:
        # Run the module's code. It may itself import a module of the folder, such as
        # `import tools`. At first this fails, then `tools` is loaded, and the code runs
        # once more: the lines above the import run twice.
        _call_with_folder_modules(spec.loader.exec_module, module)
    except BaseException:
        del sys.modules[name]
        raise
    return True


def pin_modules(names: Collection[str], folder: Path) -> None:
    """Load these modules and packages from `folder` from now on, all others as usual.

    `controlplane improve` changes modules in a copy of the user's folder, and pins them to it.
    A version that is imported already is forgotten, so that the next import loads the
    new one. An earlier pin ends.
    """
    _pinned_folders.clear()
    for name in names:
        _pinned_folders[name] = str(folder)
    for imported in list(sys.modules):
        if imported.partition(".")[0] in names:
            del sys.modules[imported]
    importlib.invalidate_caches()
