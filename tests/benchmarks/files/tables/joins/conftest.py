"""Two tables for queries that join them: loans, and the items that are lent."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from controlplane.benchmarks.files.files_benchmark import find_sources
from controlplane.benchmarks.files.files_environment import FilesEnvironment
from controlplane.sandbox import ForkServer
from tests.benchmarks.files.opened_files import environment_with_worker


@pytest.fixture
def loans_and_items(
    fork_server: ForkServer, tmp_path: Path
) -> Iterator[FilesEnvironment]:
    """Three loans and the two items that are lent, in the folder `d`, to which scripts may write.

    A loan has the number of its item; `-` means that it has no fee. The column `year` of the items
    is text, because of "1999 or so".
    """
    loans = [
        "item;year;fee",
        "01;2024;1,50",
        "02;2025;-",
        "01;2025;2,25",
    ]
    items = [
        "item,year,made",
        "01,1999 or so,2024/02/01",
        "02,2001,2024/03/01",
    ]
    (tmp_path / "d").mkdir()
    (tmp_path / "d/loans.csv").write_text("\n".join(loans) + "\n")
    (tmp_path / "d/items.csv").write_text("\n".join(items) + "\n")
    sources = find_sources(tmp_path)
    with environment_with_worker(fork_server, sources, writable="d") as environment:
        yield environment
