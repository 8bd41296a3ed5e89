"""All rows of a table are returned by a call, or its result says `truncated`, and counts them."""

import random
from pathlib import Path

import pytest

from controlplane.benchmarks.files.files_benchmark import find_sources
from controlplane.sandbox import ForkServer
from tests.benchmarks.files.opened_files import environment_with_worker
from tests.benchmarks.files.whole_results.random_texts import call


def test_table_has_all_rows_or_is_truncated_and_counts_them(
    fork_server: ForkServer, rng: random.Random, tmp_path: Path
) -> None:
    """`total` is the number of all rows, also if only the first ones are returned."""
    pytest.importorskip("duckdb")
    row_count = rng.choice([3, 900, 4_000])
    max_width = rng.randrange(1, 400)
    lines = ["n,note"]
    for number in range(row_count):
        note = "x" * rng.randrange(max_width)
        lines.append(f"{number},{note}")
    (tmp_path / "a.csv").write_text("\n".join(lines))

    with environment_with_worker(fork_server, find_sources(tmp_path)) as environment:
        result = call(environment, "table", path="/a.csv", limit=0)

    assert result["total"] == row_count
    assert result["truncated"] is (len(result["rows"]) < row_count)
    returned_numbers = [row["n"] for row in result["rows"]]
    assert returned_numbers == list(range(len(returned_numbers)))
