"""No long `task.toml` keeps the process busy for minutes, whether its text is parsed or refused.

Anybody may share a folder of tasks for download. These texts have about a megabyte each; a careless
parser would need minutes for them.
"""

from contextlib import suppress

import pytest

from controlplane import BenchmarkError
from tests.benchmarks.folder.task_file.long_lines import lines_of
from tests.benchmarks.folder.task_file.parsed_tasks import parse
from tests.support.executed_work import executed_lines

LONG_KEY = ".".join(["a"] * 20_000)  # a.a.a.a...


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(f"{LONG_KEY} = 1\n", id="a key of 20,000 parts"),
        pytest.param(f"[{LONG_KEY}]\nx = 1\n", id="a table's name of 20,000 parts"),
        pytest.param(
            lines_of("a." * 99 + "b{} = 1", 4_500), id="4,500 keys of 100 parts"
        ),
        pytest.param("x = " + "[" * 100_000, id="nested lists"),
        pytest.param("x = " + "{a = " * 100_000, id="nested tables"),
        pytest.param(lines_of("[[a]]\n[[a.b]]\n[a.b.c{}]", 20_000), id="many tables"),
        pytest.param("[" + " " * 900_000 + "x", id="one long line of blanks"),
        pytest.param("a" + ".'b'" * 200_000 + "\n", id="one long line of quotes"),
        # A fault suggests the known key that is like an unknown one.
        pytest.param(lines_of("a" * 40 + "{} = 1", 9_000), id="many unknown keys"),
        pytest.param("# " + "x" * 1_000_000, id="too much text"),
    ],
)
def test_no_text_keeps_the_process_busy(text: str) -> None:
    """Work that grew with the square of the text would be billions of executed lines."""

    def parse_or_refuse() -> None:
        with suppress(BenchmarkError):
            parse('instruction = "Count."\n' + text)

    assert executed_lines(parse_or_refuse) < 50_000_000
