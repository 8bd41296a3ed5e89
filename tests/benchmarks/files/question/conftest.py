"""A folder with a table of more than 1 MB, which is the limit here, and with two small files."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from controlplane.benchmarks.files.files_benchmark import find_sources
from controlplane.benchmarks.files.files_environment import FilesEnvironment
from controlplane.sandbox import ForkServer
from tests.benchmarks.files.opened_files import environment_with_worker


@pytest.fixture
def environment_with_large_table(
    fork_server: ForkServer, tmp_path: Path
) -> Iterator[FilesEnvironment]:
    """A table `large.csv` beyond the limit of 1 MB, a short text `a.txt`, and a picture.

    The table has the header `n,said`, and the rows `0,a word` to `99999,a word`.
    """
    rows = [f"{number},a word\n" for number in range(100_000)]
    (tmp_path / "large.csv").write_text("n,said\n" + "".join(rows))
    (tmp_path / "a.txt").write_text("a word\n")
    (tmp_path / "logo.png").write_bytes(b"\x89PNG\0")
    sources = find_sources(tmp_path, file_mb=1.0)
    with environment_with_worker(fork_server, sources) as environment:
        yield environment
