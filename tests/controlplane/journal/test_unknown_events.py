"""A journal with events that this version does not know is read without them, and not acted on.

A later version of the product may write other kinds of events into journals of the same schema
version. Commands that only read tell so, and leave these events out.
"""

import json
import warnings
from pathlib import Path
from typing import Any

import pytest

from controlplane.errors import NotAJournal, UnknownEvents, UsageError
from controlplane.journal.journal_reader import Journal, open_journal
from tests.controlplane.journal.foreign.journal_bytes import journal_of
from tests.support.command import run_in_process
from tests.support.journals import chained_lines
from tests.support.recorded_run import RecordedRun

UNKNOWN = {"at_ms": 2, "type": "mood", "trial_id": "seat-001", "step": 1, "good": True}
"""An event of a later version, in a step of a trial."""
WARNING = "has events `mood`, which this version does not know: they are left out"


@pytest.fixture
def newer_journal(recorded: RecordedRun, tmp_path: Path) -> Path:
    """The journal of the run "first", with an unknown event behind the start of each trial."""
    events: list[dict[str, Any]] = []
    for line in recorded.journal.read_bytes().splitlines():
        event = json.loads(line)
        events.append(event)
        if event["type"] == "trial_started":
            events.append(UNKNOWN | {"trial_id": event["trial_id"]})
    path = tmp_path / "newer.jsonl"
    path.write_bytes(chained_lines(events))
    return path


@pytest.mark.parametrize(
    "words",
    [
        ("show",),
        ("show", "--json"),
        ("show", "--follow", "--json"),
        ("replay",),
        ("replay", "--trial", "seat-001"),
        ("replay", "--trial", "seat-001", "--json"),
        ("replay", "--verify", "--trial", "seat-001"),
        ("report", "-o", "report.html"),
        ("export", "--to", "calls.csv"),
        ("export", "--to", "otel.jsonl"),
        ("judge",),
    ],
    ids=" ".join,
)
def test_a_command_that_reads_leaves_unknown_events_out(
    words: tuple[str, ...], newer_journal: Path
) -> None:
    command, *options = words

    shown = run_in_process(
        command, str(newer_journal), *options, cwd=newer_journal.parent
    )

    assert shown.code == 0, shown.err
    assert shown.err.count(WARNING) == 1
    assert WARNING not in shown.out


@pytest.mark.parametrize(
    "words",
    [
        ("rerun",),
        ("fork", "--trial", "seat-001", "--step", "1"),
        ("judge", "--grader"),
    ],
    ids=" ".join,
)
def test_a_command_that_acts_refuses_a_journal_with_unknown_events(
    words: tuple[str, ...], newer_journal: Path
) -> None:
    command, *options = words

    refused = run_in_process(
        command, str(newer_journal), *options, "--trust", cwd=newer_journal.parent
    )

    assert refused.code == UsageError.exit_code
    assert "this version does not know its events `mood`" in refused.err


def test_an_interrupted_run_with_unknown_events_is_not_resumed(
    newer_journal: Path,
) -> None:
    lines = newer_journal.read_bytes().splitlines(keepends=True)
    ends = [n for n, line in enumerate(lines) if b'"type":"trial_ended"' in line]
    newer_journal.write_bytes(b"".join(lines[: ends[3]]))
    before = newer_journal.read_bytes()

    refused = run_in_process(
        "resume", str(newer_journal), "--trust", cwd=newer_journal.parent
    )

    assert refused.code == UsageError.exit_code
    assert "this version does not know its events `mood`" in refused.err
    assert newer_journal.read_bytes() == before


def test_each_unknown_type_is_told_once_and_not_without_end(tmp_path: Path) -> None:
    events = []
    for number in range(50):
        letter = chr(ord("a") + number % 26)
        events.append({"at_ms": 2, "type": f"mood_{letter}", "trial_id": "t"})
    path = tmp_path / "r.jsonl"
    path.write_bytes(journal_of(*events))

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with open_journal(path) as journal:
            assert list(journal.trials["t"].events()) == []

    assert {warning.category for warning in caught} == {UnknownEvents}
    assert len(caught) == len(journal.unknown_types) == 8


def test_an_unknown_event_does_not_open_a_run(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    path.write_bytes(chained_lines([UNKNOWN]))

    with pytest.raises(NotAJournal, match="does not begin with the opening of a run"):
        list(Journal(path).read_on())
