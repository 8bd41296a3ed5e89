"""Reading journals: as they were written, and cut off or changed in any place.

A journal is a file of JSON lines, one for each event of a run. Each line has the hash of the line
before it (a chain), so that a change is found: `... is damaged at line 6`. A crash may cut the last
line off; the reader then returns the complete lines before it.
"""

import errno
import fcntl
import json
import shutil
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
from controlplane.view.results.run_result_reading import run_result
from controlplane.view.results.trial_result import trial_result
from tests.support.command import ROOT, run_in_process, run_python
from tests.support.phonebook import PHONEBOOK_WITH_PLAYER
from tests.support.recorded_run import RecordedRun
from tests.support.scored_journal import (
    TWO_TRIALS_EVENTS,
    chained_lines,
    read_events,
    write_journal,
)

# --- Bytes that are changed or missing ---


def test_an_edit_of_any_byte_is_found(tmp_path: Path, heavy: bool) -> None:
    """One byte is changed: every seventh in turn, in the heavy form every one. The journal is then
    refused, or the byte was in a mark, a user's signature at the end of a line: the events are as
    they were, but the journal is not this user's own any more."""
    path = write_journal(tmp_path / "r.jsonl", TWO_TRIALS_EVENTS)
    journal_bytes = path.read_bytes()
    last_line_feed = len(journal_bytes) - 1  # It may be missing, as after a kill.
    edited_path = tmp_path / "edited.jsonl"

    for position in range(0, last_line_feed, 1 if heavy else 7):
        edited_bytes = bytearray(journal_bytes)
        edited_bytes[position] ^= 1
        edited_path.write_bytes(edited_bytes)
        try:
            with open_journal(edited_path) as journal:
                is_own = journal.is_own
            events = list(read_events(edited_path))
        except (JournalDamaged, NotAJournal):
            continue  # The edit was found.
        # The edit was in a mark.
        assert not is_own, position
        assert events == TWO_TRIALS_EVENTS, position


def count_complete_events(journal_bytes: bytes) -> int:
    """Return how many events the complete lines have.

    A line of the type `text` is not an event: it stores a long text of a later line.
    """
    count = 0
    for line in journal_bytes.splitlines(keepends=True):
        if line.endswith(b"\n") and b'"type":"text"' not in line:
            count += 1
    return count


def test_a_journal_cut_anywhere_has_the_events_of_its_complete_lines(
    tmp_path: Path, heavy: bool
) -> None:
    """A kill or a full disk may cut the line that is being written. The journal is then "torn", and
    all lines before the cut are read. Every seventh length is tried, in the heavy form each."""
    journal_bytes = write_journal(tmp_path / "r.jsonl", TWO_TRIALS_EVENTS).read_bytes()
    end_of_first_line = journal_bytes.index(b"\n") + 1
    cut_path = tmp_path / "cut.jsonl"

    for length in range(end_of_first_line, len(journal_bytes), 1 if heavy else 7):
        kept_bytes = journal_bytes[:length]
        cut_path.write_bytes(kept_bytes)

        events = list(read_events(cut_path))
        with open_journal(cut_path) as journal:
            is_torn = journal.is_torn

        assert len(events) == count_complete_events(kept_bytes)
        assert events == TWO_TRIALS_EVENTS[: len(events)]
        assert is_torn == (not kept_bytes.endswith(b"\n"))


def test_a_journal_cut_in_its_first_line_is_refused(
    tmp_path: Path, heavy: bool
) -> None:
    """Without one complete line, nothing tells that the file is a journal."""
    journal_bytes = write_journal(tmp_path / "r.jsonl", TWO_TRIALS_EVENTS).read_bytes()
    end_of_first_line = journal_bytes.index(b"\n") + 1
    cut_path = tmp_path / "cut.jsonl"

    for length in range(0, end_of_first_line, 1 if heavy else 7):
        cut_path.write_bytes(journal_bytes[:length])

        with pytest.raises(ControlPlaneError):
            list(read_events(cut_path))


OK = 0
SAMPLE = ROOT / "runs/sample.jsonl"
"""The journal of a small run, which is part of the repository."""


def test_a_changed_text_with_a_new_chain_of_hashes_is_found(tmp_path: Path) -> None:
    """Anybody can write a chain of hashes. A long text is stored in a line of its own, under the
    hash of the text, which other lines refer to; this hash does not fit any more."""
    events = [json.loads(line) for line in SAMPLE.read_bytes().splitlines()]
    for event in events:
        if event["type"] == "text":
            event["text"] += " and more"
    forged_path = tmp_path / "forged.jsonl"
    forged_path.write_bytes(chained_lines(events))

    with pytest.raises(JournalDamaged, match="does not match its key"):
        open_journal(forged_path)


# --- A glance, which reads less ---
#
# `glance_at` returns the summary of a run (its trials, scores and costs) without reading all of its
# journal. It has to give the result, or the error, of reading every event.


def summary_of_all_events(path: Path) -> RunSummary:
    """Return the summary of a run, made by reading every event of its journal."""
    summary = RunSummary()
    for event in read_events(path):
        fold_event(summary, event)
    return summary


def shown_summary(
    summarize: Callable[[Path], RunSummary], path: Path
) -> dict[str, object]:
    """Return all that commands show of a journal by its summary, or the error instead.

    `summarize` makes the summary: `glance_at` or `summary_of_all_events`.
    """
    try:
        summary = summarize(path)
    except ControlPlaneError as error:
        return {"error": type(error), "message": str(error)}
    trial_states: list[object] = []
    for trial in summary.trials.values():
        trial_states.append(
            (trial.trial_id, trial.state, trial.score, trial.spent, trial.is_over)
        )
    return {
        "run_id": summary.run_id,
        "submitted": summary.submitted,
        "state": summary.state,
        "run_score": summary.run_score,
        "closed": summary.process.closed,
        "last_ms": summary.process.last_ms,
        "trial_states": trial_states,
        "mean_score": summary.trials.mean_score,
        "tokens": summary.spent.tokens,
        "cost_usd": summary.spent.cost_usd,
        # The JSON of `show --json`: of the run, and of each trial.
        "run_result": run_result(summary, Path("r.jsonl")),
        "trial_results": [trial_result(trial) for trial in summary.trials.values()],
        "notices": summary.notices,
    }


# Each of these functions returns the bytes of a journal, given as its lines, with one change.


def unchanged(lines: list[bytes]) -> bytes:
    return b"".join(lines)


def first_half(lines: list[bytes]) -> bytes:
    return b"".join(lines[: len(lines) // 2])


def last_line_torn(lines: list[bytes]) -> bytes:
    return b"".join(lines[:-1]) + lines[-1][:50]


def without_last_line_feed(lines: list[bytes]) -> bytes:
    return b"".join(lines).removesuffix(b"\n")


def without_sixth_line(lines: list[bytes]) -> bytes:
    return b"".join(lines[:5] + lines[6:])


def time_of_tenth_line_changed(lines: list[bytes]) -> bytes:
    tenth_line = lines[9].replace(b'"at_ms":1', b'"at_ms":2')
    return b"".join([*lines[:9], tenth_line, *lines[10:]])


def time_of_first_line_changed(lines: list[bytes]) -> bytes:
    first_line = lines[0].replace(b'"at_ms":1', b'"at_ms":2')
    return b"".join([first_line, *lines[1:]])


def other_text_behind_fourth_line(lines: list[bytes]) -> bytes:
    return b"".join(lines[:4]) + b"and more\n"


def other_text_without_line_feed_behind_fourth_line(lines: list[bytes]) -> bytes:
    return b"".join(lines[:4]) + b"and more"


def first_line_torn(lines: list[bytes]) -> bytes:
    return lines[0][:40]


def a_letter(lines: list[bytes]) -> bytes:
    return b"a letter to a friend\n"


def other_json(lines: list[bytes]) -> bytes:
    """A line of JSON without any of the fields of an event."""
    return b'{"prev":"none"}\n'


def nothing(lines: list[bytes]) -> bytes:
    return b""


def events_of(lines: list[bytes]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in lines]


def new_chain_without_marks(lines: list[bytes]) -> bytes:
    return chained_lines(events_of(lines))


def new_chain_without_first_event(lines: list[bytes]) -> bytes:
    return chained_lines(events_of(lines)[1:])


def other_version(lines: list[bytes]) -> bytes:
    """The first event says that the journal has a version that does not exist."""
    events = events_of(lines)
    events[0]["schema_version"] = 99
    return chained_lines(events)


def unknown_field_in_last_event(lines: list[bytes]) -> bytes:
    """The field `exit_code` has another name."""
    events = events_of(lines)
    events[-1]["leave_code"] = events[-1].pop("exit_code")
    return chained_lines(events)


@pytest.mark.parametrize(
    "change",
    [
        unchanged,
        first_half,
        last_line_torn,
        without_last_line_feed,
        without_sixth_line,
        time_of_tenth_line_changed,
        time_of_first_line_changed,
        other_text_behind_fourth_line,
        other_text_without_line_feed_behind_fourth_line,
        first_line_torn,
        a_letter,
        other_json,
        nothing,
        new_chain_without_marks,
        new_chain_without_first_event,
        other_version,
        unknown_field_in_last_event,
    ],
)
def test_a_glance_at_a_journal_shows_what_reading_all_of_it_shows(
    change: Callable[[list[bytes]], bytes],
    recorded: RecordedRun,
    tmp_path: Path,
) -> None:
    """`recorded` is a finished run of 25 trials."""
    lines = recorded.journal.read_bytes().splitlines(keepends=True)
    changed_path = tmp_path / "changed.jsonl"
    changed_path.write_bytes(change(lines))

    glance = shown_summary(glance_at, changed_path)

    assert glance == shown_summary(summary_of_all_events, changed_path)


# --- Open files ---


def test_a_closed_journal_cannot_be_read() -> None:
    """A trial reads its events from the file when it is asked for them."""
    journal = open_journal(SAMPLE)
    first_trial, *_ = journal.trials.values()
    journal.close()
    journal.close()  # A second time changes nothing.

    with pytest.raises(JournalDamaged, match="closed"):
        list(first_trial.events())


OPEN_AND_FORGET_JOURNALS = """
import gc, os, pathlib, sys
from controlplane import open_journal

open_files_before = len(os.listdir("/proc/self/fd"))
for _ in range(3):
    journal = open_journal(pathlib.Path(sys.argv[1]))
    first_trial, *_ = journal.trials.values()
    print(len(first_trial.steps))
    del journal, first_trial
gc.collect()
assert len(os.listdir("/proc/self/fd")) == open_files_before
"""
"""A program that opens a journal three times, reads in it, and does not close it."""


def test_a_journal_that_is_not_used_any_more_closes_its_file() -> None:
    """The option `-W error` prints a line if Python has to close a file itself."""
    result = run_python("-W", "error", "-c", OPEN_AND_FORGET_JOURNALS, SAMPLE)

    assert result.code == OK, result.err
    assert result.err == ""


def test_a_journal_and_its_folder_are_readable_only_by_their_user(
    tmp_path: Path,
) -> None:
    """A journal has all that the model read, such as private files."""
    path = tmp_path / "runs" / "r.jsonl"
    with JournalWriter(path, create=True):
        folder_mode = stat.S_IMODE(path.parent.stat().st_mode)
        file_mode = stat.S_IMODE(path.stat().st_mode)

    assert folder_mode == 0o700
    assert file_mode == 0o600


@pytest.fixture
def no_file_locks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the file system refuse to lock files, as some network drives do."""

    def refuse_lock(file: int, operation: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refuse_lock)


@pytest.mark.usefixtures("no_file_locks")
def test_no_journal_is_written_on_a_file_system_without_locks(tmp_path: Path) -> None:
    """A lock keeps a second process from writing to the same journal."""
    with pytest.raises(
        JournalUnwritable,
        match=r"cannot lock the journal .*: No locks available; use a folder on",
    ):
        JournalWriter(tmp_path / "new.jsonl", create=True)

    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("no_file_locks")
def test_a_journal_on_a_file_system_without_locks_is_not_being_written(
    tmp_path: Path,
) -> None:
    """No process can hold a lock on it."""
    (tmp_path / "old.jsonl").touch()

    assert not is_being_written(tmp_path / "old.jsonl")


# --- Journals of runs ---


@pytest.fixture(scope="module")
def ada_journal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The journal of a run of one trial. The model looks a number up, gives an answer that a check
    of the harness rejects, and then the right answer."""
    folder = tmp_path_factory.mktemp("ada")
    run_in_process("run", *PHONEBOOK_WITH_PLAYER, "ada", "--json", cwd=folder)
    (path,) = folder.glob("runs/*.jsonl")
    return path


def steps_in(path: Path) -> list[StepDone]:
    """Return the steps of a journal as its reader puts them together from several lines."""
    return [event for event in read_events(path) if isinstance(event, StepDone)]


def lines_of_type(path: Path, event_type: str) -> list[dict[str, Any]]:
    """Return the lines of a journal with this type, as they are in the file."""
    lines = [json.loads(line) for line in path.read_bytes().splitlines()]
    return [line for line in lines if line["type"] == event_type]


def test_every_finished_call_is_in_exactly_one_step(ada_journal: Path) -> None:
    """A call has two lines: one when it is under way, and one with its result."""
    finished_calls = 0
    for line in lines_of_type(ada_journal, "call"):
        if line["state"] != "under_way":
            finished_calls += 1

    calls_of_steps = sum(len(step.calls) for step in steps_in(ada_journal))

    assert calls_of_steps == finished_calls


def test_every_verdict_on_an_answer_is_in_exactly_one_step(ada_journal: Path) -> None:
    """The first answer was rejected, the second accepted."""
    verdicts_of_lines: list[bool] = []
    for line in lines_of_type(ada_journal, "submission_judged"):
        verdicts_of_lines.append(line["judged"]["accepted"])
    verdicts_of_steps: list[bool] = []
    for step in steps_in(ada_journal):
        for verdict in step.verdicts:
            verdicts_of_steps.append(verdict.accepted)

    assert verdicts_of_lines == [False, True]
    assert verdicts_of_steps == [False, True]


def test_every_step_has_the_whole_reply_of_the_model(ada_journal: Path) -> None:
    """A line refers to a long reply as `@text:HASH`; the text is in a line of its own."""
    texts: dict[str, str] = {}
    for line in lines_of_type(ada_journal, "text"):
        texts[f"@text:{line['key']}"] = line["text"]
    replies: list[str] = []
    for line in lines_of_type(ada_journal, "model_replied"):
        reply = line["reply"]
        replies.append(texts.get(reply, reply))

    assert [step.reply for step in steps_in(ada_journal)] == replies


def test_a_glance_counts_the_rejection(ada_journal: Path) -> None:
    """The answer was rejected by the rule "wording" of check group 6."""
    (trial,) = glance_at(ada_journal).trials.values()

    assert trial.rejections == {"6/wording": 1}


@pytest.fixture
def finished_run(tmp_path: Path) -> Path:
    """The journal of a run of three trials, beside the replies of its model."""
    shutil.copy(ROOT / "tests/support/phonebook.toml", tmp_path)
    run = run_in_process(
        "run", *PHONEBOOK_WITH_PLAYER, "--concurrency", "1", cwd=tmp_path
    )
    assert run.code == OK, run.err
    (path,) = (tmp_path / "runs").glob("*.jsonl")
    return path


def check_steps_are_kept(cut: Journal, resumed: Journal) -> None:
    """Assert that the steps of the cut journal are the first steps of the resumed one."""
    for trial_id, trial in cut.trials.items():
        steps = resumed.trials[trial_id].steps
        assert steps[: len(trial.steps)] == trial.steps


def test_a_run_whose_journal_breaks_off_anywhere_is_resumed_to_the_same_end(
    finished_run: Path, tmp_path: Path, heavy: bool
) -> None:
    """1. The journal is cut: behind every twentieth line in turn, in the heavy form behind each line.
    2. The run is resumed from what is left.
    3. It has the scores of the uncut run, and the steps that were left are as they were.
    """
    expected_scores = open_journal(finished_run).summary.trials.scores
    lines = finished_run.read_bytes().splitlines(keepends=True)
    types = [json.loads(line)["type"] for line in lines]
    first_cut = types.index("run_started") + 1
    # The last two lines, `run_submitted` and `run_closed`, end the run. At least one more is cut.
    last_cut = len(lines) - 3

    for cut in range(first_cut, last_cut + 1, 1 if heavy else 20):
        cut_path = tmp_path / f"cut-{cut}.jsonl"
        cut_path.write_bytes(b"".join(lines[:cut]))
        cut_journal = open_journal(cut_path)

        result = run_in_process("resume", cut_path, "--trust", cwd=tmp_path)
        replay = run_in_process("replay", cut_path, "--verify", cwd=tmp_path)

        assert result.code == OK, result.err
        assert replay.code == OK, replay.err
        resumed_journal = open_journal(cut_path)
        assert resumed_journal.summary.trials.scores == expected_scores, cut
        check_steps_are_kept(cut_journal, resumed_journal)


def test_a_journal_of_an_older_version_is_refused_with_its_version(
    tmp_path: Path,
) -> None:
    """There is one version of journals. An older one is not guessed at."""
    older_version = SCHEMA_VERSION - 1
    first_event = next(Journal(SAMPLE).read_on())
    older_event = first_event.model_copy(update={"schema_version": older_version})
    with JournalWriter(tmp_path / "older.jsonl", create=True) as journal:
        journal.write(older_event)

    shown = run_in_process("show", tmp_path / "older.jsonl", cwd=tmp_path)

    assert shown.code == NotAJournal.exit_code
    assert f"schema version {older_version}" in shown.err
