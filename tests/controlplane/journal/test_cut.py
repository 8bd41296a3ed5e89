"""A journal is read, written and signed safely, wherever it breaks off.

It has the events of its complete lines, and a run goes on from there. Each call, verdict and reply
is in exactly one step, and a glance shows what reading all of it shows. One process writes at a
time, and only the user may read a journal, its folder and the key that signs its lines.
"""

import errno
import fcntl
import json
import os
import shutil
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from controlplane.agent.events import StepDone
from controlplane.errors import ControlPlaneError, JournalDamaged, UsageError
from controlplane.facts.run_facts import run_facts
from controlplane.facts.trial_facts import TrialRow, row_of, trial_facts
from controlplane.journal.journal_files import is_being_written
from controlplane.journal.journal_reader import glance_at, open_journal
from controlplane.journal.journal_writer import JournalWriter
from controlplane.journal.state_files import KEY_FILE, made_key, own_key, state_path
from controlplane.journal.totals.run_summary import RunSummary, fold_event
from tests.controlplane.journal import changed_journals, rewritten_journals
from tests.controlplane.journal.tried_positions import tried_positions
from tests.support.command import run_in_process, run_python
from tests.support.journals import TWO_TRIALS_EVENTS, read_events, write_journal
from tests.support.phonebook import PHONEBOOK_WITH_PLAYER
from tests.support.product_files import ROOT
from tests.support.recorded_run import RecordedRun

# Compares what commands show by a quick summary of a journal, and by a summary of all its events.
#
#     shown_summary(glance_at, path) == shown_summary(summary_of_all_events, path)
#
# A journal is the record of a run, a file with an event in each line. `glance_at` is the product's quick
# way to summarize one: it reads only a part of the file, and must lead to the same.


def summary_of_all_events(path: Path) -> RunSummary:
    """Return the summary of a run, made slowly, by reading every event of its journal."""
    summary = RunSummary()
    for event in read_events(path):
        fold_event(summary, event)
    return summary


def shown_summary(
    summarize: Callable[[Path], RunSummary], path: Path
) -> dict[str, object]:
    """Return all that commands show of a journal: `{"run_id": "r", "mean_score": 0.8, ...}`.

    `summarize` makes the summary: `glance_at` or `summary_of_all_events`. If it raises an error, return
    that instead: `{"error": NotAJournal, "message": "..."}`.
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
        "run_result": run_facts(summary, Path("r.jsonl")),
        "trial_results": [
            row_of(trial_facts(trial), TrialRow) for trial in summary.trials.values()
        ],
        "notices": summary.notices,
    }


# The lines of a journal as they are in the file, and the steps that its reader makes of them.
#
# For example:
#
#     lines_of_type(path, "call")    ->    [{"type": "call", "step": 1, "number": 0, ...}, ...]


def steps_in(path: Path) -> list[StepDone]:
    """Return the steps of a journal as its reader puts them together from several lines."""
    return [event for event in read_events(path) if isinstance(event, StepDone)]


def lines_of_type(path: Path, event_type: str) -> list[dict[str, Any]]:
    """Return the lines of a journal with this type, as they are in the file."""
    lines = [json.loads(line) for line in path.read_bytes().splitlines()]
    return [line for line in lines if line["type"] == event_type]


# A journal that breaks off anywhere has the events of its complete lines.
#
# A journal is a file of JSON lines, one for each event of a run. A kill or a full disk may cut the line
# that is being written; the journal is then "torn". `TWO_TRIALS_EVENTS` are the events of a run of two
# trials. Some lengths are tried, in the heavy form each.


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
    journal_bytes = write_journal(tmp_path / "r.jsonl", TWO_TRIALS_EVENTS).read_bytes()
    end_of_first_line = journal_bytes.index(b"\n") + 1
    cut_path = tmp_path / "cut.jsonl"

    for length in tried_positions(journal_bytes, heavy):
        if length < end_of_first_line:
            continue
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

    for length in tried_positions(journal_bytes[:end_of_first_line], heavy):
        cut_path.write_bytes(journal_bytes[:length])

        with pytest.raises(ControlPlaneError):
            list(read_events(cut_path))


# A run goes on from a journal that breaks off anywhere, as after a kill.
#
# A journal is a file of JSON lines, one for each event. The run looks up three numbers in a phone book,
# one trial after the other. The scores of the whole run are known, since its model replies from a file.


@pytest.fixture
def finished_run(tmp_path: Path) -> Path:
    """The journal of a run of three trials, beside the replies of its model."""
    shutil.copy(ROOT / "tests/support/phonebook.toml", tmp_path)
    run = run_in_process(
        "run", *PHONEBOOK_WITH_PLAYER, "--concurrency", "1", cwd=tmp_path
    )
    assert run.code == 0, run.err
    (path,) = (tmp_path / "runs").glob("*.jsonl")
    return path


def test_a_run_whose_journal_breaks_off_anywhere_is_resumed_to_the_same_end(
    finished_run: Path, tmp_path: Path, heavy: bool
) -> None:
    """1. The journal is cut: behind every twentieth line in turn, in the heavy form behind each
    line.
    2. The run is resumed from what is left.
    3. It has the scores of the uncut run, and the steps that were left are as they were."""
    expected_scores = open_journal(finished_run).summary.trials.scores
    lines = finished_run.read_bytes().splitlines(keepends=True)
    types = [json.loads(line)["type"] for line in lines]
    first_cut = types.index("run_started") + 1
    # The last two lines, `run_submitted` and `run_closed`, end the run. At least one more is
    # cut.
    last_cut = len(lines) - 3

    for cut in range(first_cut, last_cut + 1, 1 if heavy else 20):
        cut_path = tmp_path / f"cut-{cut}.jsonl"
        cut_path.write_bytes(b"".join(lines[:cut]))
        cut_journal = open_journal(cut_path)

        result = run_in_process("resume", cut_path, "--trust", cwd=tmp_path)
        replay = run_in_process("replay", cut_path, "--verify", cwd=tmp_path)

        assert result.code == 0, result.err
        assert replay.code == 0, replay.err
        resumed_journal = open_journal(cut_path)
        assert resumed_journal.summary.trials.scores == expected_scores, cut
        for trial_id, trial in cut_journal.trials.items():
            steps = resumed_journal.trials[trial_id].steps
            assert steps[: len(trial.steps)] == trial.steps


# A glance at a journal reads less than all of it, and gives the result of reading every event.
#
# `glance_at(path)` returns the summary of a run: its trials, scores and costs. If the journal is damaged,
# it has to raise the same error, too. `changed_journals` and `rewritten_journals` change the lines of a
# journal in various ways.


@pytest.mark.parametrize(
    "change",
    [
        changed_journals.unchanged,
        changed_journals.first_half,
        changed_journals.last_line_torn,
        changed_journals.without_last_line_feed,
        changed_journals.without_sixth_line,
        changed_journals.time_of_tenth_line_changed,
        changed_journals.time_of_first_line_changed,
        changed_journals.other_text_behind_fourth_line,
        changed_journals.other_text_without_line_feed_behind_fourth_line,
        changed_journals.first_line_torn,
        changed_journals.a_letter,
        changed_journals.other_json,
        changed_journals.nothing,
        rewritten_journals.new_chain_without_marks,
        rewritten_journals.new_chain_without_first_event,
        rewritten_journals.other_version,
        rewritten_journals.unknown_field_in_last_event,
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


# An open journal holds its file open, and closes it when it is closed or not used any more.
#
# `open_journal(path)` reads a journal, a file of JSON lines, only as far as it is asked to: a trial reads
# its events from the file later.

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


def test_a_closed_journal_cannot_be_read() -> None:
    """A trial reads its events from the file when it is asked for them."""
    journal = open_journal(ROOT / "runs/sample.jsonl")
    first_trial, *_ = journal.trials.values()
    journal.close()
    journal.close()  # A second time changes nothing.

    with pytest.raises(JournalDamaged, match="closed"):
        list(first_trial.events())


def test_a_journal_that_is_not_used_any_more_closes_its_file() -> None:
    """The option `-W error` prints a line if Python has to close a file itself."""
    sample = ROOT / "runs/sample.jsonl"  # the journal of a small run

    result = run_python("-W", "error", "-c", OPEN_AND_FORGET_JOURNALS, sample)

    assert result.code == 0, result.err
    assert result.err == ""


# A journal is written by one process at a time, and readable only by its user.
#
# A process that writes a journal, the record of a run, holds a lock on it. Some network drives have no
# locks.


@pytest.fixture
def no_file_locks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the file system refuse to lock files, as some network drives do."""

    def refuse_lock(file: int, operation: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refuse_lock)


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


@pytest.mark.usefixtures("no_file_locks")
def test_no_journal_is_written_on_a_file_system_without_locks(tmp_path: Path) -> None:
    """A lock keeps a second process from writing to the same journal."""
    with pytest.raises(
        UsageError,
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


# The reader of a journal puts each step of a trial together from several lines.
#
# A step is a reply of the model, the calls of its script, and perhaps an answer with the verdict of the
# checks on it. The journal has a line for each of these, when it happens, and refers to a long text as
# `@text:HASH`. The run looks ada's number up, answers, is rejected, and answers again.


@pytest.fixture(scope="module")
def ada_journal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The journal of a run of one trial. The model looks a number up, gives an answer that a check
    of the harness rejects, and then the right answer."""
    folder = tmp_path_factory.mktemp("ada")
    run_in_process("run", *PHONEBOOK_WITH_PLAYER, "ada", "--json", cwd=folder)
    (path,) = folder.glob("runs/*.jsonl")
    return path


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


# The user's key, by which the lines of this user's journals are signed.
#
# It is a file in the user's state folder, which only the user may read. The first run makes it.


@pytest.fixture
def new_state_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the user's state folder, in which the key is, be new and empty."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))


@pytest.mark.usefixtures("new_state_folder")
def test_a_key_is_made_once_and_only_its_user_may_read_it() -> None:
    """`made_key` makes the key if there is none, and `own_key` only reads it."""
    assert own_key() is None

    key = made_key()

    assert key is not None
    assert made_key() == key
    assert own_key() == key
    key_path = state_path(KEY_FILE)
    assert stat.S_IMODE(key_path.stat().st_mode) == 0o600
    assert list(key_path.parent.iterdir()) == [key_path]


@pytest.mark.usefixtures("new_state_folder")
def test_a_key_that_others_may_read_is_not_used() -> None:
    """Others could sign journals with it. None is then signed."""
    made_key()
    state_path(KEY_FILE).chmod(0o640)

    assert own_key() is None
    assert made_key() is None


@pytest.mark.usefixtures("new_state_folder")
def test_a_key_file_that_is_a_pipe_is_not_read() -> None:
    """Reading it would never end."""
    made_key()
    state_path(KEY_FILE).unlink()
    os.mkfifo(state_path(KEY_FILE))

    assert own_key() is None
    assert made_key() is None
