"""A finding in a trial: what it reads is journalled and evidence, and a record of it is enough to have it again."""

import pytest

from agent.events import CallDone, CallSent
from agent.evidence import Recorder, StepRecord
from tests.support.library import Library


def recorder(events=None, library=None, **more):
    return Recorder("t", library or Library(), (events if events is not None else []).append, **more)


def played():
    """The events of one step with a finding between two reads, and the recorder."""
    events = []
    here = recorder(events)
    here.begin_step(1)
    here.call("read", {"path": "/books/notes.txt", "start_line": 0, "end_line": 0})
    here.call("books_by", {"author": "Austen"})
    here.call("read", {"path": "/books/notes.txt", "start_line": 0, "end_line": 0})
    return events, here


def record_of(events):
    record = StepRecord()
    for event in events:
        record.take(event)
    return record


def test_calls_of_a_finding_are_journalled_with_its_number():
    events, here = played()
    made = sorted(
        (event.number, event.operation, event.outer)
        for event in events
        if isinstance(event, CallSent | CallDone) and event.operation
    )
    assert made == [
        (0, "read", None),
        (1, "books_by", None),
        (2, "find", 1),
        *[(number, "read", 1) for number in (3, 4, 5, 6)],
        (7, "read", None),
    ]
    assert [event.number for event in events if isinstance(event, CallDone)] == [0, 2, 3, 4, 5, 6, 1, 7]
    assert [call.operation for call in here.calls] == [operation for _, operation, _ in made]


def test_a_record_gives_the_finding_and_its_evidence_without_a_call():
    events, live = played()
    library = Library()
    again = recorder(library=library, only_recorded=True)
    again.begin_step(1, record_of(events))
    again.call("read", {"path": "/books/notes.txt", "start_line": 0, "end_line": 0})
    found = again.call("books_by", {"author": "Austen"})
    assert found["value"] == ["/books/emma.txt", "/books/persuasion.txt"]
    again.call("read", {"path": "/books/notes.txt", "start_line": 0, "end_line": 0})
    assert library.asked == []
    assert [call.operation for call in again.calls] == [call.operation for call in live.calls]
    assert again.cite("/books/emma.txt", "it says by Austen")


@pytest.mark.parametrize("cut_after", range(4, 15))
def test_a_finding_that_was_cut_off_is_computed_again(cut_after):
    events, _ = played()
    kept = events[:cut_after]
    more = []
    again = recorder(more)
    again.begin_step(1, record_of(kept))
    again.call("read", {"path": "/books/notes.txt", "start_line": 0, "end_line": 0})
    assert again.call("books_by", {"author": "Austen"})["value"] == ["/books/emma.txt", "/books/persuasion.txt"]
    both = record_of([*kept, *more])
    assert [call.result is not None for call in both.calls] == [True] * len(both.calls)
    assert [call.outer for call in both.calls][:7] == [None, None, 1, 1, 1, 1, 1]
