"""Families of files that are versions of one another, in a folder with files of such names.

`versions_of(folder, "policy-2023.md", "policy-2025.md")` is
`[["/policy-2025.md", "/policy-2023.md"]]`: the newest version comes first.
"""

from pathlib import Path

from controlplane.benchmarks.files.files_benchmark import find_sources
from tests.benchmarks.files.opened_files import write_files


def versions_of(folder: Path, *names: str) -> list[list[str]]:
    """Add files of these names to a folder, and return the families of all its files."""
    write_files(folder, dict.fromkeys(names, "x"))
    return find_sources(folder).versions
