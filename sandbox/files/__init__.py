"""Files as a world for scripts: the in-memory tree, a folder on disk, search and SQL."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sandbox.files.aided_files import AidedFiles as AidedFiles
    from sandbox.files.asked_files import AskedFiles as AskedFiles
    from sandbox.files.pinned_sqlite import pinned_database as pinned_database

_HOMES = {
    "aided_files": ("AidedFiles",),
    "asked_files": ("AskedFiles",),
    "pinned_sqlite": ("pinned_database",),
}


def __getattr__(name: str) -> object:
    """Import a public name at its first use, so that nobody waits for what is not needed."""
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{home}"), name)
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)
