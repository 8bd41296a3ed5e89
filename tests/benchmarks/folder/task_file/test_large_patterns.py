"""No regular expression in a `task.toml` keeps the process busy for minutes.

Anybody may share a folder of tasks for download. A pattern may stand for any of the million letters
of Unicode, in capitals or not. Python's compiler looks at each of them.
"""

from contextlib import suppress

import pytest

from controlplane import BenchmarkError
from tests.benchmarks.folder.task_file.parsed_tasks import parse
from tests.support.executed_work import executed_lines

ANY_LETTER = f"a-{chr(0x10FFFF)}"
"""The characters from "a" to the last one of Unicode. `(?i)` adds those in capitals."""
THREE_HUNDRED_TOOLS = "".join(
    f"[[tool.call]]\nargs = '(?i)[{number}{ANY_LETTER}]'\n" for number in range(300)
)
"""Calls of a tool, each with another pattern, so that none is compiled once for all."""


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            '[expected]\noutcome = "OUTCOME_OK"\n'
            "pattern = '(?i)" + f"[{ANY_LETTER}]" * 100 + "'\n",
            id="one pattern for a text of 100 letters",
        ),
        pytest.param(
            '[[tool]]\npath = "/bin/a"\n' + THREE_HUNDRED_TOOLS,
            id="300 patterns for a letter",
        ),
    ],
)
def test_no_pattern_keeps_the_process_busy(text: str) -> None:
    """The file may be refused. The work is counted in lines of Python that are executed."""

    def parse_or_refuse() -> None:
        with suppress(BenchmarkError):
            parse('instruction = "Count."\n' + text)

    lines_of_some_seconds = 50_000_000
    assert executed_lines(parse_or_refuse) < lines_of_some_seconds
