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

import json
import re
from pathlib import Path

import pytest

from controlplane.errors import UsageError
from controlplane.journal.run_events import RunClosed
from tests.support.command import CommandResult, run_in_process, write_config
from tests.support.journals import RUN_OPENED, write_journal
from tests.support.recorded_run import RecordedRun


@pytest.fixture
def folder_of_broken_journals(recorded: RecordedRun, tmp_path: Path) -> Path:
    """A folder with six copies of a journal, from the oldest to the newest:

    20260101-120000-killed    ends after the first trial
    20260102-120000-torn      ends in the middle of the line that ends the first trial
    20260103-120000-damaged   has a line that was changed by hand
    20260104-120000-foreign   is not a journal
    20260105-120000-empty
    20260106-120000-whole
    """
    lines = recorded.journal.read_bytes().splitlines(keepends=True)
    event_types = [json.loads(line)["type"] for line in lines]

    end_of_trial = event_types.index("trial_ended")
    lines_before_end = lines[:end_of_trial]
    line_of_end = lines[end_of_trial]

    step = event_types.index("step")
    damaged_lines = lines.copy()
    damaged_lines[step] = lines[step].replace(b'"done":', b'"dont":')

    journals = {
        "killed": [*lines_before_end, line_of_end],
        "torn": [*lines_before_end, line_of_end[:100]],
        "damaged": damaged_lines,
        "foreign": [b"hello\n"],
        "empty": [],
        "whole": lines,
    }
    (tmp_path / "runs").mkdir()
    for day, (name, journal_lines) in enumerate(journals.items(), start=1):
        path = tmp_path / "runs" / f"2026010{day}-120000-{name}.jsonl"
        path.write_bytes(b"".join(journal_lines))
    return tmp_path


# A broken `controlplane.toml` in the working folder is refused only by commands that need it.
#
# The file says, for example, where the journals of runs are. `runs` and `show last` look there;
# `show runs/a.jsonl` does not need it.


@pytest.mark.parametrize(
    ("configuration", "message_part"),
    [
        pytest.param("[run]\nruns_dir = 3\n", "runs_dir", id="number for a folder"),
        pytest.param("[run\n", "is not TOML", id="syntax error"),
    ],
)
def test_a_broken_configuration_is_refused_only_by_commands_that_need_it(
    configuration: str,
    message_part: str,
    recorded: RecordedRun,
    tmp_path: Path,
) -> None:
    """The configuration says where the journals are, unless the command names a path."""
    journal = recorded.journal
    write_config(tmp_path / "controlplane.toml", configuration)

    for command in (("runs",), ("show", "last")):
        refused = run_in_process(*command, cwd=tmp_path)
        assert refused.code == UsageError.exit_code
        assert message_part in refused.err

    shown = run_in_process("show", journal, cwd=tmp_path)
    listed = run_in_process("runs", "--runs-dir", journal.parent, cwd=tmp_path)
    assert f" replay {journal} " in shown.out
    assert listed.code == 0


# `runs` lists the 20 newest journals, and all of them with `--all`.
#
# Each run leaves a journal. The folder has 25, whose names begin with different times, so that the list
# ends in "and 5 older: .../controlplane runs --all".


@pytest.fixture
def folder_of_25_journals(tmp_path: Path) -> Path:
    """A folder with 25 journals of runs without trials, with different times in their names."""
    events = [RUN_OPENED, RunClosed(how="finished", exit_code=0)]
    (tmp_path / "runs").mkdir()
    for number in range(25):
        write_journal(tmp_path / f"runs/20260101-{number:06}-crowd.jsonl", events)
    return tmp_path


def test_runs_lists_the_20_newest_journals_and_counts_the_rest(
    folder_of_25_journals: Path,
) -> None:
    """The last line says how to list all of them."""
    listed = run_in_process("runs", cwd=folder_of_25_journals)

    lines = listed.out.splitlines()
    assert len(lines) == 22  # the heading, 20 journals, and the line below
    assert re.search(r"and 5 older: .* runs --all$", lines[-1].strip())


def test_runs_lists_all_journals_on_demand(folder_of_25_journals: Path) -> None:
    listed = run_in_process("runs", "--all", cwd=folder_of_25_journals)

    assert len(listed.out.splitlines()) == 26  # the heading and 25 journals


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
