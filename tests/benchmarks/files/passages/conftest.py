"""Three short texts about loans of keys, in which scripts search."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from controlplane.benchmarks.files.files_benchmark import find_sources
from controlplane.benchmarks.files.files_environment import FilesEnvironment
from controlplane.sandbox import ForkServer
from tests.benchmarks.files.opened_files import environment_with_worker, write_files


@pytest.fixture
def loan_files(fork_server: ForkServer, tmp_path: Path) -> Iterator[FilesEnvironment]:
    """Three texts about loans of keys. Scripts may write in the folder `docs`."""
    write_files(
        tmp_path,
        {
            "docs/loans.md": "# Loans\n\nA loan may be kept for 14 days.\n\n"
            "- loan-02: kept until 2026-03-01.\n",
            "docs/desk.md": "The desk opens at nine.\n",
            "notes.md": "Call Ines about the LOANS.\n",
        },
    )
    sources = find_sources(tmp_path)
    with environment_with_worker(fork_server, sources, writable="docs") as environment:
        yield environment
