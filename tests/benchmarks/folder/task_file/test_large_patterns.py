"""No pattern in a `task.toml` keeps the process busy for minutes.

Anybody may share a folder of tasks for download. A pattern such as `[a-z]` may name all letters of
all scripts, and becomes large when it is compiled.
"""

from contextlib import suppress

import pytest

from controlplane import BenchmarkError
from tests.benchmarks.folder.task_file.long_lines import lines_of
from tests.benchmarks.folder.task_file.parsed_tasks import parse
from tests.support.executed_work import executed_lines

LAST_CHARACTER = chr(0x10FFFF)
"""The last character of Unicode. A pattern `[a-...]` that ends with it fits a million letters."""


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            '[expected]\noutcome = "OUTCOME_OK"\n'
            "pattern = '(?i)" + f"[a-{LAST_CHARACTER}]" * 100 + "'\n",
            id="one pattern for 100 of all letters",
        ),
        pytest.param(
            '[[tool]]\npath = "/bin/a"\n'
            + lines_of(f"[[tool.call]]\nargs = '(?i)[{{}}a-{LAST_CHARACTER}]'", 300),
            id="300 patterns for all letters",
        ),
    ],
)
def test_no_pattern_keeps_the_process_busy(text: str) -> None:
    """Such a pattern becomes large when it is compiled."""

    def parse_or_refuse() -> None:
        with suppress(BenchmarkError):
            parse('instruction = "Count."\n' + text)

    assert executed_lines(parse_or_refuse) < 50_000_000
