"""A journal that a stranger wrote to be costly is read with little memory and work.

A journal is a file of JSON lines. One of a megabyte may stand for gigabytes, or repeat one thing as
often as it fits in: `[[[[...]]]]`. To refuse such a journal with an error is a reading, too.
"""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.controlplane.journal.foreign.costly import (
    costly_lines,
    costly_results,
    many_lines,
)
from tests.controlplane.journal.foreign.journal_bytes import MB
from tests.support.product_files import ROOT

# How much memory and work it takes to read journals, measured in a process of its own.
#
#     measured_readings([folder / "deep_list.jsonl"])
#
# reads the journal in two ways, and returns
#
#     [
#         Reading("show", "deep_list.jsonl", 4.5, 1200),
#         Reading("read_every_event", "deep_list.jsonl", 6.0, 3400),
#     ]

PROGRAM = "tests.controlplane.journal.foreign.costly.measured_reading"
"""Prints a line for each reading: `measured show deep_list.jsonl 4.5 1200`."""


class Reading(NamedTuple):
    """What it took to read a journal in one way."""

    way: str
    """`show` reads only what the command `show` prints, `read_every_event` the whole journal."""
    journal_name: str
    growth_mib: float
    """By how much the memory of the process has grown."""
    executed_lines: int
    """How many lines of Python were executed to read the journal."""


def measured_readings(journals: list[Path]) -> list[Reading]:
    """Read each journal in both ways, so that there are two readings of each."""
    finished = subprocess.run(
        [sys.executable, "-m", PROGRAM, *journals],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert finished.returncode == 0, finished.stderr[-2_000:]
    readings: list[Reading] = []
    for line in finished.stdout.splitlines():
        if line.startswith("measured "):
            _, way, name, growth_mib, executed_lines = line.split()
            readings.append(Reading(way, name, float(growth_mib), int(executed_lines)))
    return readings


COSTLY_JOURNALS: list[Callable[[], bytes]] = [
    costly_results.deep_list,  # [[[[...]]]]
    costly_results.deep_list_beside_a_surrogate,  # ["\ud800", [[[[...]]]]]
    costly_results.many_empty_objects,  # [{}, {}, {}, ...]
    costly_results.many_objects,  # [{"a": 1}, {"a": 1}, ...]
    costly_results.many_numbers,  # 250,000 numbers
    costly_results.long_numbers,  # [999..., 999..., ...]
    costly_lines.one_text_often_in_a_line,  # stands for 5 GB
    costly_lines.one_text_in_many_lines,  # stands for 1 GB
    costly_lines.one_call_often_in_a_step,  # 250,000 times
    many_lines.many_short_lines,
    many_lines.many_trials,  # 40,000 in the start of a run
    many_lines.long_trial_id,  # half a megabyte
    many_lines.many_steps,
    many_lines.line_without_end,  # {"prev":"0000000...
]
"""Functions that return the bytes of a journal each."""


@pytest.mark.second_tier
def test_a_megabyte_of_any_content_takes_little_memory_and_work(tmp_path: Path) -> None:
    """`measured_readings` reads each journal twice: as the command `show` reads it, and event by event.

    The limits are far above what an honest journal of a megabyte takes.
    """
    journals: list[Path] = []
    for content in COSTLY_JOURNALS:
        journal = tmp_path / f"{content.__name__}.jsonl"
        journal.write_bytes(content())
        assert journal.stat().st_size < 1.1 * MB
        journals.append(journal)

    readings = measured_readings(journals)

    names = [journal.name for journal in journals]
    for way in ("show", "read_every_event"):
        read_names = [
            reading.journal_name for reading in readings if reading.way == way
        ]
        assert read_names == names
    for reading in readings:
        assert reading.growth_mib <= 64, reading  # of the process's memory
        assert reading.executed_lines <= 50_000_000, reading  # lines of Python
