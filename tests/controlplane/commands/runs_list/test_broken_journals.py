"""`runs` lists journals of runs that were killed or damaged beside whole ones.

    run              benchmark      model           trials  score    age  ended
    20260106-120000  tests.suppor…  scripted:crow…      25  0.800  1 min  finished
    20260105-120000  -              -                    -      -      -  no journal
    ...
    20260101-120000  tests.suppor…  scripted:crow…    1/25  1.000  1 min  cut off

A run leaves a journal, a file of JSON lines. The listed files are made from one journal: whole;
empty; with another text; with a changed line; cut off in the middle of a line; and cut off after a
line.
"""

import re
from pathlib import Path

import pytest

from tests.support.command import CommandResult, run_in_process


@pytest.fixture
def listed(folder_of_broken_journals: Path) -> CommandResult:
    """What `runs` prints about these journals on 80 columns.

    All runs have the name "first", so it shows instead how the names of their files begin.
    """
    return run_in_process("runs", cwd=folder_of_broken_journals, COLUMNS="80")


def test_runs_lists_the_journals_with_their_ends_newest_first(
    listed: CommandResult,
) -> None:
    heading, *rows = listed.out.splitlines()

    columns = ["run", "benchmark", "model", "trials", "score", "age", "ended"]
    assert heading.split() == columns
    ends = []
    for row in rows:
        cells = re.split(r"  +", row.rstrip())
        ends.append((cells[0], cells[-1]))
    assert ends == [
        ("20260106-120000", "finished"),
        ("20260105-120000", "no journal"),  # an empty file
        ("20260104-120000", "no journal"),  # the text "hello"
        ("20260103-120000", "damaged"),  # A line was changed.
        ("20260102-120000", "cut off"),  # It ends in the middle of a line.
        ("20260101-120000", "cut off"),  # It ends after the first trial.
    ]


def test_runs_counts_the_trials_that_have_ended(listed: CommandResult) -> None:
    """The oldest journal ends after the first of 25 trials."""
    _heading, newest, *_others, oldest = listed.out.splitlines()

    assert re.search(r"25 +0.800", newest)
    assert " 1/25 " in oldest


def test_runs_fits_its_rows_into_the_terminal(listed: CommandResult) -> None:
    for line in listed.out.splitlines():
        assert len(line.rstrip()) <= 80


def test_runs_names_what_is_no_journal_or_is_damaged(listed: CommandResult) -> None:
    """The message goes to standard error, and the command succeeds all the same."""
    assert listed.code == 0
    assert re.search(r"damaged at line \d+", listed.err)
    assert listed.err.count("is not a journal") == 2  # the empty file and "hello"
