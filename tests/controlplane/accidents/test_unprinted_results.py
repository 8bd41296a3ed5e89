"""A result that a command cannot print gives an error of one line, as it must not look like a success.

Standard output goes to a file on a full disk: "the result cannot be printed: No space left on
device".
"""

from pathlib import Path

import pytest

from tests.support.command import check_error_line, command, run_on_full_disk
from tests.support.product_files import ROOT

OUTPUT_FAILED = 3
"""The exit code if something cannot be written, here the result to standard output."""


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(("benchmarks", "list"), id="benchmarks list"),
        pytest.param(("show", ROOT / "runs/sample.jsonl", "--json"), id="show"),
        pytest.param(("--version",), id="--version"),
    ],
)
def test_a_result_that_cannot_be_printed_gives_an_error_of_one_line(
    words: tuple[str | Path, ...], tmp_path: Path
) -> None:
    result = run_on_full_disk(command(words), tmp_path)

    check_error_line(
        result,
        OUTPUT_FAILED,
        "the result cannot be printed: No space left on device",
    )
