"""Files as a world for scripts: the in-memory tree, a folder on disk, search and SQL."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sandbox.files.aided_tools import TOOL_WORLD, AidedTools
    from sandbox.files.file_tree import LineSearch, compiled_pattern
    from sandbox.files.pinned_sqlite import pinned_database
    from sandbox.files.tool_world import Tools
    from sandbox.files.whole_files import StagedFile, read_whole, remove_file, write_whole

_HOMES = {
    "aided_tools": ("TOOL_WORLD", "AidedTools"),
    "file_tree": ("LineSearch", "compiled_pattern"),
    "pinned_sqlite": ("pinned_database",),
    "tool_world": ("Tools",),
    "whole_files": ("StagedFile", "read_whole", "remove_file", "write_whole"),
}


def __getattr__(name: str) -> object:
    """Import a public name at its first use: the two sides of an aide need different names."""
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{home}"), name)
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)
