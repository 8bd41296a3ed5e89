"""Journals are read as they were written, and cut
or changed anywhere; those of another version are refused."""

import errno
import fcntl
import json
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from controlplane.agent.events import StepDone
from controlplane.errors import (
    ControlPlaneError,
    JournalDamaged,
    JournalUnwritable,
    NotAJournal,
)
from controlplane.journal.journal_files import is_being_written
from controlplane.journal.journal_reader import Journal, glance_at, open_journal
from controlplane.journal.journal_writer import JournalWriter
from controlplane.journal.run_events import SCHEMA_VERSION
from controlplane.journal.totals.run_folding import fold_event
from controlplane.journal.totals.run_summary import RunSummary
from controlplane.view.results.run_result import run_result
from controlplane.view.results.trial_result import trial_result
from tests.support.command import ROOT, CommandResult, run_in_process, run_python
from tests.support.phonebook import PHONEBOOK_WITH_PLAYER
from tests.support.scored_journal import (
    TWO_TRIALS_EVENTS,
    chained_lines,
    read_events,
    write_journal,
)


def test_every_byte_edited_anywhere_is_found(tmp_path: Path, heavy: bool) -> None:
    path = write_journal(tmp_path / "r.jsonl", TWO_TRIALS_EVENTS)
    whole = path.read_bytes()
    edited = tmp_path / "edited.jsonl"
    for position in range(0, len(whole), 1 if heavy else 7):
        edited_byte = bytes([whole[position] ^ 1])
        edited.write_bytes(whole[:position] + edited_byte + whole[position + 1 :])
        try:
            with open_journal(edited) as journal:
                # A byte of the user's mark, which is no part of the chain: the events
                # are as they were, and the journal is not this user's own any more.
                assert not journal.is_own, position
                assert list(read_events(edited)) == TWO_TRIALS_EVENTS, position
        except (JournalDamaged, NotAJournal):
            continue


def test_a_journal_cut_anywhere_gives_the_whole_lines_before_the_cut(
    tmp_path: Path, heavy: bool
) -> None:
    path = write_journal(tmp_path / "r.jsonl", TWO_TRIALS_EVENTS)
    whole = path.read_bytes()
    first_line = whole.index(b"\n") + 1
    cut = tmp_path / "cut.jsonl"
    for at in range(0, len(whole), 1 if heavy else 7):
        cut.write_bytes(whole[:at])
        if at < first_line:
            with pytest.raises(ControlPlaneError):
                list(read_events(cut))
            continue
        events = list(read_events(cut))
        assert events == TWO_TRIALS_EVENTS[: len(events)]
        with open_journal(cut) as journal:
            assert journal.is_torn == (not whole[:at].endswith(b"\n"))


SAMPLE = ROOT / "runs/sample.jsonl"


def test_a_text_that_was_changed_under_a_new_chain_is_found_when_it_is_read(
    tmp_path: Path,
) -> None:
    events = [json.loads(line) for line in SAMPLE.read_bytes().splitlines()]
    for event in events:
        if event["type"] == "text":
            event["text"] += " and more"
    forged = tmp_path / "forged.jsonl"
    forged.write_bytes(chained_lines(events))

    with pytest.raises(JournalDamaged, match="does not match its key"):
        open_journal(forged)


def test_a_closed_journal_says_so() -> None:
    journal = open_journal(SAMPLE)
    trial = next(iter(journal.trials.values()))
    journal.close()
    journal.close()  # A second time changes nothing.

    with pytest.raises(JournalDamaged, match="closed"):
        list(trial.events())


OPENING_AND_FORGETTING = """
import gc, os, pathlib, sys
from controlplane import open_journal

before = len(os.listdir("/proc/self/fd"))
for _ in range(3):
    journal = open_journal(pathlib.Path(sys.argv[1]))
    first_trial = next(iter(journal.trials.values()))
    print(len(first_trial.steps))
    del journal, first_trial
gc.collect()
assert len(os.listdir("/proc/self/fd")) == before
"""


def test_a_journal_that_is_forgotten_lets_go_of_its_file() -> None:
    # With -W error a file that is not closed is a line on standard error.
    result = run_python("-W", "error", "-c", OPENING_AND_FORGETTING, SAMPLE)

    assert result.code == 0, result.err
    assert result.err == ""


def whole_summary(path: Path) -> RunSummary:
    """Return the summary of a run, made by reading every event of its journal."""
    summary = RunSummary()
    for event in read_events(path):
        fold_event(summary, event)
    return summary


def summary_or_error(summarize: Callable[[Path], RunSummary], path: Path) -> object:
    """Return what commands show of the summary of a journal, or the error instead."""
    try:
        summary = summarize(path)
    except ControlPlaneError as error:
        return type(error), str(error)
    trials = []
    for trial in summary.trials.values():
        trials.append(
            (trial.trial_id, trial.state, trial.score, trial.spent, trial.is_over)
        )
    return {
        "run_id": summary.run_id,
        "submitted": summary.submitted,
        "state": summary.state,
        "run_score": summary.run_score,
        "closed": summary.process.closed,
        "last_ms": summary.process.last_ms,
        "trials": trials,
        "mean_score": summary.trials.mean_score,
        "tokens": summary.spent.tokens,
        "cost_usd": summary.spent.cost_usd,
        "run_result": run_result(summary, Path("r.jsonl")),
        "trial_results": [*map(trial_result, summary.trials.values())],
        "notices": summary.notices,
    }


def changed_journal(case: str, lines: list[bytes]) -> bytes:
    """Return the bytes of a journal with one change, or of something else."""
    whole = b"".join(lines)
    events = [json.loads(line) for line in lines]
    match case:
        case "unchanged":
            return whole
        case "first half of its lines":
            return b"".join(lines[: len(lines) // 2])
        case "last line torn":
            return b"".join(lines[:-1]) + lines[-1][:50]
        case "without its last line feed":
            return whole[:-1]
        case "a line taken out":
            return b"".join(lines[:5] + lines[6:])
        case "the time of its tenth line changed":
            lines[9] = lines[9].replace(b'"at_ms":1', b'"at_ms":2')
            return b"".join(lines)
        case "the time of its first line changed":
            lines[0] = lines[0].replace(b'"at_ms":1', b'"at_ms":2')
            return b"".join(lines)
        case "a line of another text":
            return b"".join(lines[:4]) + b"and more\n"
        case "a torn line of another text":
            return b"".join(lines[:4]) + b"and more"
        case "first line torn":
            return lines[0][:40]
        case "another text":
            return b"a letter to a friend\n"
        case "another JSON":
            return b'{"prev":"none"}\n'
        case "empty":
            return b""
        case "a new chain without marks":
            return chained_lines(events)
        case "a new chain without its first line":
            return chained_lines(events[1:])
        case "another version":
            events[0]["schema_version"] = 99
            return chained_lines(events)
        case "an event with an unknown field":
            events[-1]["leave_code"] = events[-1].pop("exit_code")
            return chained_lines(events)
        case _:
            raise ValueError(case)


@pytest.mark.parametrize(
    "case",
    [
        "unchanged",
        "first half of its lines",
        "last line torn",
        "without its last line feed",
        "a line taken out",
        "the time of its tenth line changed",
        "the time of its first line changed",
        "a line of another text",
        "a torn line of another text",
        "first line torn",
        "another text",
        "another JSON",
        "empty",
        "a new chain without marks",
        "a new chain without its first line",
        "another version",
        "an event with an unknown field",
    ],
)
def test_a_glance_at_a_journal_shows_what_reading_all_of_it_shows(
    case: str, recorded: tuple[Path, CommandResult], tmp_path: Path
) -> None:
    folder, _ = recorded
    (journal,) = (folder / "runs").glob("*.jsonl")
    path = tmp_path / "changed.jsonl"
    path.write_bytes(
        changed_journal(case, journal.read_bytes().splitlines(keepends=True))
    )

    assert summary_or_error(glance_at, path) == summary_or_error(whole_summary, path)


def lines_of_kind(path: Path, kind: str) -> list[dict[str, Any]]:
    lines = [json.loads(line) for line in path.read_bytes().splitlines()]
    return [line for line in lines if line["type"] == kind]


def test_every_call_and_verdict_of_a_run_stands_once_and_is_counted(
    tmp_path: Path,
) -> None:
    run_in_process("run", *PHONEBOOK_WITH_PLAYER, "ada", "--json", cwd=tmp_path)
    (path,) = tmp_path.glob("runs/*.jsonl")
    steps = [event for event in read_events(path) if isinstance(event, StepDone)]
    calls = lines_of_kind(path, "call")
    finished_calls = [line for line in calls if line["state"] != "under_way"]

    assert sum(len(step.calls) for step in steps) == len(finished_calls)
    judged = [
        line["judged"]["accepted"] for line in lines_of_kind(path, "submission_judged")
    ]
    assert (
        [verdict.accepted for step in steps for verdict in step.verdicts]
        == judged
        == [False, True]
    )
    texts = {
        f"@text:{line['key']}": line["text"] for line in lines_of_kind(path, "text")
    }
    replies = [line["reply"] for line in lines_of_kind(path, "model_replied")]
    assert [step.reply for step in steps] == [
        texts.get(reply, reply) for reply in replies
    ]
    (trial,) = glance_at(path).trials.values()
    assert trial.rejections == {"6/wording": 1}


def test_a_journal_and_its_folder_are_readable_only_by_their_user(
    tmp_path: Path,
) -> None:
    path = tmp_path / "runs" / "r.jsonl"
    with JournalWriter(path, create=True):
        modes = [stat.S_IMODE(place.stat().st_mode) for place in (path.parent, path)]

    assert modes == [0o700, 0o600]


def test_a_file_system_without_locks_is_told_as_what_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none_here(file: int, operation: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", none_here)
    with pytest.raises(
        JournalUnwritable,
        match=r"cannot lock the journal .*: No locks available; use a folder on",
    ):
        JournalWriter(tmp_path / "new.jsonl", create=True)

    assert list(tmp_path.iterdir()) == []
    (tmp_path / "old.jsonl").touch()
    assert not is_being_written(tmp_path / "old.jsonl")


def test_a_journal_that_breaks_off_anywhere_is_resumed_to_the_same_end(
    tmp_path: Path, heavy: bool
) -> None:
    (tmp_path / "phonebook.toml").write_bytes(
        (ROOT / "tests/support/phonebook.toml").read_bytes()
    )

    assert (
        run_in_process(
            "run", *PHONEBOOK_WITH_PLAYER, "--concurrency", "1", cwd=tmp_path
        ).code
        == 0
    )
    (recorded,) = (tmp_path / "runs").glob("*.jsonl")
    lines = recorded.read_bytes().splitlines(keepends=True)
    whole = open_journal(recorded)
    types = [json.loads(line)["type"] for line in lines]
    first_cut = types.index("run_started") + 1
    last_cut = len(lines) - 3  # Behind it the run is over.
    for cut in range(first_cut, last_cut + 1, 1 if heavy else 20):
        path = tmp_path / f"cut-{cut}.jsonl"
        path.write_bytes(b"".join(lines[:cut]))
        trials_before = open_journal(path).trials

        result = run_in_process("resume", path, "--trust", cwd=tmp_path)

        assert result.code == 0, result.err
        resumed = open_journal(path)
        assert resumed.summary.trials.scores == whole.summary.trials.scores, cut
        for trial_id, trial in trials_before.items():
            resumed_steps = resumed.trials[trial_id].steps
            assert resumed_steps[: len(trial.steps)] == trial.steps, cut
        assert run_in_process("replay", path, "--verify", cwd=tmp_path).code == 0


def test_a_journal_of_another_version_is_refused_by_name(tmp_path: Path) -> None:
    first = next(Journal(SAMPLE).read_on())
    older = first.model_copy(update={"schema_version": SCHEMA_VERSION - 1})
    with JournalWriter(tmp_path / "older.jsonl", create=True) as journal:
        journal.write(older)
    shown = run_in_process("show", tmp_path / "older.jsonl", cwd=tmp_path)

    assert shown.code == NotAJournal.exit_code
    assert f"schema version {SCHEMA_VERSION - 1}" in shown.err
