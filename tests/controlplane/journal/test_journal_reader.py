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
from tests.support.command import ROOT, Result, inside, python
from tests.support.phonebook import PLAYED
from tests.support.scored_journal import EVENTS, chained, read_events, written


def test_every_byte_edited_anywhere_is_found(tmp_path: Path, heavy: bool) -> None:
    path = written(tmp_path / "r.jsonl", EVENTS)
    whole = path.read_bytes()
    edited = tmp_path / "edited.jsonl"
    for at in range(0, len(whole), 1 if heavy else 7):
        edited.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        try:
            with open_journal(edited) as journal:
                is_other_mark = (
                    not journal.is_own and list(read_events(edited)) == EVENTS
                )
        except (JournalDamaged, NotAJournal):
            continue
        assert is_other_mark, at


def test_a_journal_cut_anywhere_gives_the_whole_lines_before_the_cut(
    tmp_path: Path, heavy: bool
) -> None:
    path = written(tmp_path / "r.jsonl", EVENTS)
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
        assert events == EVENTS[: len(events)]
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
    (forged := tmp_path / "forged.jsonl").write_bytes(chained(events))
    with pytest.raises(JournalDamaged, match="does not match its key"):
        [list(trial.events()) for trial in open_journal(forged).trials.values()]


def test_a_closed_journal_says_so_and_a_forgotten_one_lets_go_of_its_file() -> None:
    journal = open_journal(SAMPLE)
    trial = next(iter(journal.trials.values()))
    journal.close()
    journal.close()
    with pytest.raises(JournalDamaged, match="closed"):
        list(trial.events())
    code = (
        "import os, pathlib, sys\n"
        "from controlplane import open_journal\n"
        "before = len(os.listdir('/proc/self/fd'))\n"
        "for _ in range(3): print(len(next(iter(open_journal(pathlib.Path(sys.argv[1])).trials.values())).steps))\n"
        "import gc; gc.collect()\n"
        "assert len(os.listdir('/proc/self/fd')) == before\n"
    )
    done = python("-W", "error", "-c", code, SAMPLE)

    assert (done.code, done.err) == (0, "")


def whole_summary(path: Path) -> RunSummary:
    summary = RunSummary()
    for event in read_events(path):
        fold_event(summary, event)
    return summary


def told(look: Callable[[], RunSummary]) -> object:
    try:
        summary = look()
    except ControlPlaneError as error:
        return type(error), str(error)
    trials = [
        (trial.trial_id, trial.state, trial.score, trial.spent, trial.is_over)
        for trial in summary.trials.values()
    ]
    run = (
        summary.run_id,
        summary.submitted,
        summary.state,
        summary.run_score,
        summary.process.closed,
        summary.process.last_ms,
    )
    shown = (
        run_result(summary, Path("r.jsonl")),
        [*map(trial_result, summary.trials.values())],
        summary.notices,
    )
    return (
        run,
        trials,
        summary.trials.mean_score,
        summary.spent.tokens,
        summary.spent.cost_usd,
        shown,
    )


@pytest.mark.parametrize(
    "change",
    [
        lambda lines: b"".join(lines),
        lambda lines: b"".join(lines[: len(lines) // 2]),
        lambda lines: b"".join(lines[:-1]) + lines[-1][:50],
        lambda lines: b"".join(lines)[:-1],
        lambda lines: b"".join([*lines[:5], *lines[6:]]),
        lambda lines: b"".join(
            [*lines[:9], lines[9].replace(b'"at_ms":1', b'"at_ms":2'), *lines[10:]]
        ),
        lambda lines: b"".join(
            [lines[0].replace(b'"at_ms":1', b'"at_ms":2'), *lines[1:]]
        ),
        lambda lines: b"".join(lines[:4]) + b"and more\n",
        lambda lines: b"".join(lines[:4]) + b"and more",
        lambda lines: lines[0][:40],
        lambda lines: b"a letter to a friend\n",
        lambda lines: b'{"prev":"none"}\n',
        lambda lines: b"",
        lambda lines: chained(map(json.loads, lines)),
        lambda lines: chained(map(json.loads, lines[1:])),
        lambda lines: chained(
            json.loads(line.replace(b'"schema_version":2', b'"schema_version":99'))
            for line in lines
        ),
        lambda lines: chained(
            map(
                json.loads,
                [*lines[:-1], lines[-1].replace(b'"exit_code"', b'"leave_code"')],
            )
        ),
    ],
)
def test_it_says_what_reading_all_of_it_says(
    change: Callable[[list[bytes]], bytes],
    recorded: tuple[Path, Result],
    tmp_path: Path,
) -> None:
    lines = (
        next((recorded[0] / "runs").glob("*.jsonl"))
        .read_bytes()
        .splitlines(keepends=True)
    )
    path = tmp_path / "changed.jsonl"
    path.write_bytes(change(lines))

    assert told(lambda: glance_at(path)) == told(lambda: whole_summary(path))


def lines_of_kind(path: Path, kind: str) -> list[dict[str, Any]]:
    lines = [json.loads(line) for line in path.read_bytes().splitlines()]
    return [line for line in lines if line["type"] == kind]


def test_every_call_and_verdict_of_a_run_stands_once_and_is_counted(
    tmp_path: Path,
) -> None:
    inside("run", *PLAYED, "ada", "--json", cwd=tmp_path)
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

    assert inside("run", *PLAYED, "--concurrency", "1", cwd=tmp_path).code == 0
    (recorded,) = (tmp_path / "runs").glob("*.jsonl")
    lines = recorded.read_bytes().splitlines(keepends=True)
    whole = open_journal(recorded)
    began = next(at for at, line in enumerate(lines) if b'"type":"run_started"' in line)
    for cut in range(began + 1, len(lines) - 2, 1 if heavy else 20):
        path = tmp_path / f"cut-{cut}.jsonl"
        path.write_bytes(b"".join(lines[:cut]))
        begun = open_journal(path).trials
        result = inside("resume", path, "--trust", cwd=tmp_path)
        assert result.code == 0, result.err
        content = open_journal(path)
        assert content.summary.trials.scores == whole.summary.trials.scores, cut
        for trial_id, before in begun.items():
            assert (
                content.trials[trial_id].steps[: len(before.steps)] == before.steps
            ), cut
        assert inside("replay", path, "--verify", cwd=tmp_path).code == 0


def test_a_journal_of_another_version_is_refused_by_name(tmp_path: Path) -> None:
    first = next(Journal(SAMPLE).read_on())
    older = first.model_copy(update={"schema_version": SCHEMA_VERSION - 1})
    with JournalWriter(tmp_path / "older.jsonl", create=True) as journal:
        journal.write(older)
    shown = inside("show", tmp_path / "older.jsonl", cwd=tmp_path)

    assert shown.code == 2
    assert f"schema version {SCHEMA_VERSION - 1}" in shown.err
