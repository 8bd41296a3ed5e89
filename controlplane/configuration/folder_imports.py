"""Imports installed modules, and modules of the working folder.

A user names a module of their own, such as `--benchmark my_bank`, which is `my_bank.py`
in the folder where the command is called. That module may import others beside it.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Collection, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType
from typing import Final


def import_named(name: str) -> ModuleType:
    """Import an installed module, or one in the working folder, which may import others from there.

    The working folder is not added to `sys.path`, because then any library could import
    its files by mistake. Instead, a finder that Python asks last knows who imports.
    """
    if _FINDER not in sys.meta_path:
        sys.meta_path.append(_FINDER)
    return importlib.import_module(name)


class _FolderFinder(MetaPathFinder):
    """Finds modules of the working folder, for `import_named` and for the modules that it has found.

    They may import others at any time, also inside a function.
    """

    def __init__(self) -> None:
        self.pinned_folders: dict[str, str] = {}
        """The modules and packages that have a folder of their own, by `pin_modules`. Each is
        loaded from that folder. All others are loaded from the working folder."""
        self._found: set[str] = set()
        """The names of the modules and packages that were found."""

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,
        target: ModuleType | None = None,
    ) -> ModuleSpec | None:
        """Return where a top-level module is; None if it is not there, or not for this importer."""
        is_part_of_package = path is not None
        if is_part_of_package or not self._is_for_importer():
            return None
        try:
            folder = self.pinned_folders.get(fullname) or str(Path.cwd())
            spec = PathFinder.find_spec(fullname, [folder], target)
        except OSError:  # The working folder is gone.
            return None
        if spec is not None:
            self._found.add(fullname)
        return spec

    def _is_for_importer(self) -> bool:
        """Return True if `import_named`, or a module that was found, imports something."""
        frame = sys._getframe(2)
        importer = frame.f_globals["__name__"]
        while importer.partition(".")[0] == "importlib" and frame.f_back is not None:
            frame = frame.f_back
            importer = frame.f_globals.get("__name__", "")
        return importer == __name__ or importer.partition(".")[0] in self._found


_FINDER: Final = _FolderFinder()


def pin_modules(names: Collection[str], folder: Path) -> None:
    """Load these modules and packages from `folder` from now on, all others as usual.

    `controlplane improve` changes modules in a copy of the user's folder, and pins them to it.
    A version that is imported already is forgotten, so that the next import loads the
    new one. An earlier pin ends.
    """
    _FINDER.pinned_folders = dict.fromkeys(names, str(folder))
    for imported in list(sys.modules):
        if imported.partition(".")[0] in names:
            del sys.modules[imported]
    importlib.invalidate_caches()
