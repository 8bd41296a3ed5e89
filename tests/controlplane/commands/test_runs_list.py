"""`runs` lists the journals of a folder, also damaged ones.

Each run leaves a journal, a file of JSON lines, in the folder `runs`. The list has a line for each,
newest first, with the number of trials, the score, and how the run ended. `recorded` is the folder
of a finished run of 25 tasks with the name "first".
"""

import json
import re
import shutil
from pathlib import Path

import pytest

from controlplane.errors import UsageError
from tests.support.command import CommandResult, run_in_process, write_config


@pytest.fixture
def folder_of_broken_journals(
    recorded: tuple[Path, CommandResult], tmp_path: Path
) -> Path:
    """A folder with six journals, from the oldest to the newest: killed after the first trial,
    torn in the middle of a line, changed by hand, not a journal, empty, and whole.
    """
    recorded_folder, _ = recorded
    (source,) = (recorded_folder / "runs").glob("*.jsonl")
    lines = source.read_bytes().splitlines(keepends=True)
    event_types = [json.loads(line)["type"] for line in lines]
    first_end = event_types.index("trial_ended")
    first_step = event_types.index("step")
    changed_step = lines[first_step].replace(b'"done":', b'"dont":')

    journals = {
        "killed": lines[: first_end + 1],
        "torn": [*lines[:first_end], lines[first_end][:100]],
        "damaged": [*lines[:first_step], changed_step, *lines[first_step + 1 :]],
        "foreign": [b"hello\n"],
        "empty": [],
        "whole": lines,
    }
    (tmp_path / "runs").mkdir()
    for day, (name, journal_lines) in enumerate(journals.items(), start=1):
        path = tmp_path / "runs" / f"2026010{day}-120000-{name}.jsonl"
        path.write_bytes(b"".join(journal_lines))
    return tmp_path


def test_runs_lists_each_journal_in_a_line_newest_first(
    folder_of_broken_journals: Path,
) -> None:
    """The folder has journals of runs that were killed, and files that are not journals."""
    listed = run_in_process("runs", cwd=folder_of_broken_journals, COLUMNS="80")

    assert listed.code == 0
    heading, *rows = [line.rstrip() for line in listed.out.splitlines()]
    assert heading.split() == [
        "run",
        "benchmark",
        "model",
        "trials",
        "score",
        "age",
        "ended",
    ]
    row_lengths = [len(row) for row in [heading, *rows]]
    assert max(row_lengths) <= 80
    # The copies all have the name "first", so the list shows the start of the files' names.
    assert [row.split()[0] for row in rows] == [
        "20260106-120000",
        "20260105-120000",
        "20260104-120000",
        "20260103-120000",
        "20260102-120000",
        "20260101-120000",
    ]
    last_cells = [re.split(r"  +", row)[-1] for row in rows]
    assert last_cells == [
        "finished",
        "no journal",
        "no journal",
        "damaged",
        "cut off",
        "cut off",
    ]
    whole_row = rows[0]
    killed_row = rows[5]
    assert re.search(r"25 +0.800", whole_row)
    assert " 1/25 " in killed_row
    assert re.search(r"damaged at line \d+", listed.err)
    assert listed.err.count("is not a journal") == 2


@pytest.fixture
def folder_of_25_journals(recorded: tuple[Path, CommandResult], tmp_path: Path) -> Path:
    """A folder with 25 copies of a journal, with different times in their names."""
    recorded_folder, _ = recorded
    (source,) = (recorded_folder / "runs").glob("*.jsonl")
    (tmp_path / "runs").mkdir()
    for number in range(25):
        shutil.copy(source, tmp_path / "runs" / f"20260101-{number:06}-crowd.jsonl")
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
    recorded: tuple[Path, CommandResult],
    tmp_path: Path,
) -> None:
    """The configuration says where the journals are, unless the command names a path."""
    recorded_folder, _ = recorded
    (journal,) = (recorded_folder / "runs").glob("*.jsonl")
    write_config(tmp_path / "controlplane.toml", configuration)

    for command in (("runs",), ("show", "last")):
        refused = run_in_process(*command, cwd=tmp_path)
        assert refused.code == UsageError.exit_code
        assert message_part in refused.err

    shown = run_in_process("show", journal, cwd=tmp_path)
    listed = run_in_process("runs", "--runs-dir", journal.parent, cwd=tmp_path)
    assert f" replay {journal} " in shown.out
    assert listed.code == 0
