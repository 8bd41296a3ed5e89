"""The platform's own description of its protocol: a Markdown file with tables, for each package of messages.

    described_rows("bitgn.harness")
    # ("service", ["HarnessService", "StartRun", "StartRunRequest", "StartRunResponse"]), ...

The file is beside the repository, if this machine has it.
"""

from collections.abc import Iterator
from pathlib import Path

PLATFORM_DESCRIPTION = Path(__file__).parents[5] / "shared" / "ecom1" / "WIRE.md"
"""The platform's description of its protocol. For each package it has tables of the methods of
services, the values of enums, and the fields of messages."""


def described_rows(package: str) -> Iterator[tuple[str, list[str]]]:
    """Yield each row of the tables of a package, after its kind.

    ("service", ["HarnessService", "StartRun", "StartRunRequest", "StartRunResponse"])
    ("enum", ["RunState", "RUN_STATE_RUNNING", "1"])
    ("message", ["ReadRequest", "1", "path", "string"])
    """
    description = PLATFORM_DESCRIPTION.read_text()
    section = description.split(f"## package `{package}`")[1].split("\n## ")[0]
    kind = ""
    for line in section.splitlines():
        if not line.startswith("|"):
            continue
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if cells[0] in ("service", "enum", "message"):  # the head of a table
            kind = cells[0]
        elif set(cells[0]) != {"-"}:  # the line below the head
            yield kind, cells
