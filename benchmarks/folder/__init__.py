"""The user's own benchmark without code: `folder:DIR`, a folder of tasks in plain files.

Every task is a folder with `task.toml`, which holds the instruction and the required end of the trial, and the files
that the trial's scripts see.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchmarks.folder.folder_benchmark import OPTIONS as OPTIONS
    from benchmarks.folder.folder_benchmark import open_benchmark as open_benchmark


def __getattr__(name: str) -> object:
    """Import a public name at its first use, so that an aide loads only the files' side."""
    if name in ("OPTIONS", "open_benchmark"):
        return getattr(import_module(f"{__name__}.folder_benchmark"), name)
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)
