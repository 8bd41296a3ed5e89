"""No long `task.toml` keeps the process busy for minutes, whether its text is parsed or refused.

Anybody may share a folder of tasks for download. These texts have up to a megabyte; a careless
parser would need minutes for them.
"""

from contextlib import suppress

import pytest

from controlplane import BenchmarkError
from tests.benchmarks.folder.task_file.long_lines import lines_of
from tests.benchmarks.folder.task_file.parsed_tasks import fault_of, parse
from tests.support.executed_work import executed_lines

LONG_KEY = ".".join(["a"] * 20_000)  # a.a.a.a...

MOST_LINES_PER_CHARACTER = 40
"""How many lines of Python may be executed for each character of a text."""


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            lines_of("a." * 99 + "b{} = 1", 1_000), id="1,000 keys of 100 parts"
        ),
        pytest.param(
            lines_of("a." * 9 + "b{} = 1", 3_000), id="3,000 keys of ten parts"
        ),
        pytest.param("x = " + "[" * 100_000, id="nested lists"),
        pytest.param("x = " + "{a = " * 100_000, id="nested tables"),
        pytest.param(lines_of("[[a]]\n[[a.b]]\n[a.b.c{}]", 4_000), id="many tables"),
        pytest.param("[" + " " * 300_000 + "x", id="one long line of blanks"),
        # A fault suggests the known key that is like an unknown one.
        pytest.param(lines_of("a" * 40 + "{} = 1", 4_000), id="many unknown keys"),
    ],
)
def test_no_text_keeps_the_process_busy(text: str) -> None:
    """To compare each of the 3,000 keys with all before it would be 54 lines for each character."""

    def parse_or_refuse() -> None:
        with suppress(BenchmarkError):
            parse('instruction = "Count."\n' + text)

    assert executed_lines(parse_or_refuse) < MOST_LINES_PER_CHARACTER * len(text)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(f"{LONG_KEY} = 1\n", id="a key of 20,000 parts"),
        pytest.param(f"[{LONG_KEY}]\nx = 1\n", id="a table's name of 20,000 parts"),
        pytest.param("a" + ".'b'" * 200_000 + "\n", id="one long line of quotes"),
        pytest.param("# " + "x" * 1_000_000, id="too much text"),
    ],
)
def test_a_text_beyond_a_limit_is_refused_before_it_is_parsed(text: str) -> None:
    """Python's own parser would be busy with such a text, and not in lines that can be counted."""
    limits = "it has at most 1,000,000 bytes, and a key at most 100 parts"

    assert limits in fault_of('instruction = "Count."\n' + text)
