"""Files as a world for scripts: the in-memory tree, a folder on disk, search and SQL."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sandbox.files.aided_files import AidedFiles
    from sandbox.files.file_tree import AskedFiles
    from sandbox.files.folder_world import pinned_database

_HOMES = {"aided_files": ("AidedFiles",), "file_tree": ("AskedFiles",), "folder_world": ("pinned_database",)}


def __getattr__(name: str) -> object:
    """Import a public name at its first use: the two sides of an aide need different names."""
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{home}"), name)
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)
