"""Which run `last` means."""

import os
from pathlib import Path

import pytest

from controlplane.commands.started_runs import STARTED_FILE, StartedRun, last_run, remember_start
from controlplane.journal.journal_file import newest_first
from tests.controlplane.report.reported_run import Played, journal
from tests.support.command import Type
from tests.support.terminal import Terminal

HERE, ME = os.getsid(0), os.getuid()


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """A folder with three journals, `c` written to last."""
    for at, name in enumerate("abc"):
        path = journal(tmp_path / "runs" / f"{name}.jsonl", [Played("t")])
        os.utime(path, (at, at))
    return tmp_path / "runs"


@pytest.mark.parametrize(
    ("started", "meant", "reason"),
    [
        ([], "c", "the journal written to last"),
        ([("a", ME, HERE)], "a", "the last run that this terminal started"),
        ([("b", ME, HERE), ("a", ME, HERE), ("c", ME, HERE + 1)], "a", "the last run that this terminal started"),
        ([("a", ME, HERE + 1), ("c", ME + 1, HERE)], "a", "your last run"),
        ([("a", ME + 1, HERE + 1)], "c", "you started none of them"),
        ([("b", ME, HERE), ("gone", ME, HERE)], "b", "the last run that this terminal started"),
    ],
)
def test_last_is_the_latest_run_of_this_terminal_then_of_its_user_then_of_anybody(
    started: list[tuple[str, int, int]], meant: str, reason: str, runs: Path
) -> None:
    lines = [StartedRun(run=run, user=user, session=session, at_ms=0) for run, user, session in started]
    text = "".join(f"{each.model_dump_json()}\n" for each in lines)
    (runs / STARTED_FILE).write_text(f"{text}no line of ours\n", encoding="utf-8")
    found, why = last_run(runs, newest_first(runs))
    assert (found.stem, reason in why) == (meant, True)


def test_a_run_is_remembered_when_it_starts_and_not_where_nothing_can_be_written(runs: Path, type_in: Type) -> None:
    done = type_in("run", "--limit", "1", "--json", "--quiet")
    os.utime(done.json["journal"], (0, 0))
    assert type_in("show", "last", "--json").json["run"] == done.json["run"]
    remember_start(runs / "missing" / "x.jsonl")
    assert not (runs / "missing").exists()


def test_on_a_terminal_a_command_says_which_run_last_is(runs: Path) -> None:
    with Terminal("show", "last", cwd=runs.parent) as terminal:
        assert terminal.finish() == 0
        assert terminal.lines[0] == "last is c: the journal written to last; you started none of them"
