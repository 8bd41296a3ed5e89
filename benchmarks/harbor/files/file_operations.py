"""Carries out the file operations of scripts in a container, by their names.

`harness.read("/app/main.py")` becomes `ContainerFiles.read`, which runs a short program in
the container.
"""

from __future__ import annotations

from typing import Any

from controlplane.benchmarks.harbor.files.container_files import ContainerFiles
from controlplane.benchmarks.harbor.files.container_listings import ContainerListings
from controlplane.benchmarks.harbor.files.file_program_runs import FileProgramRuns
from controlplane.sandbox.interface import Plain


def result_of(
    programs: FileProgramRuns, operation: str, values: dict[str, Any]
) -> dict[str, Plain]:
    """Return the result of an operation. `values` has all its arguments.

    For `read`, they are `{"path": "/app/main.py", "start_line": 0, "end_line": 0}`. Raises
    `CallError` and `ContainerError`.
    """
    files = ContainerFiles(programs)
    listings = ContainerListings(programs)
    match operation:
        case "read":
            return files.read(**values)
        case "write":
            return files.write(**values)
        case "delete":
            return files.delete(**values)
        case "stat":
            return files.stat(**values)
        case "list":
            return listings.list(**values)
        case "find":
            return listings.find(**values)
        case _:
            return listings.search(**values)
