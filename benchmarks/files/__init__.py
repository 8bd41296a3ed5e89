"""The user's files as a benchmark of one task: `files:DIR`, with the question as `--set question=...`."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchmarks.files.files_benchmark import OPTIONS as OPTIONS
    from benchmarks.files.files_benchmark import open_benchmark as open_benchmark


def __getattr__(name: str) -> object:
    """Import a public name at its first use, so that an aide loads only the files' side."""
    if name in ("OPTIONS", "open_benchmark"):
        return getattr(import_module(f"{__name__}.files_benchmark"), name)
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)
