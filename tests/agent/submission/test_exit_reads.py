"""The calls that the exit makes for rules: in their order, side by side where allowed, kept while nothing changes."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import replace

import pytest

from agent.events import AgentEvent, CallFailure
from agent.events.call_records import ExitCall
from agent.events.trial_events import ExitCallDone, ExitCallSent
from agent.evidence import Recorder, StepRecord
from agent.loop import LeftOpen
from agent.submission.exit_reads import MAX_KEPT_CHARS, SIDE_BY_SIDE, ExitReads, KeptReads, OutOfTime
from gates.reading import ReadLimits
from sandbox.interface import Plain
from tests.support.effect_counter import SURFACE

READ = ("read", {"path": "/a.txt"})


class Library:
    """Returns the path of each file as its text; more in `opens` says how long a call is under way."""

    def __init__(self, *, side_by_side: bool = False) -> None:
        self.surface = replace(SURFACE, reads_side_by_side=side_by_side)
        self.calls: list[str] = []
        self.together = threading.Barrier(SIDE_BY_SIDE) if side_by_side else None
        self.content = "x"

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        self.calls.append(str(arguments["path"]))
        if self.together is not None:
            self.together.wait(20)
        return {"content": self.content + str(arguments["path"])}


def made(library: Library, record: StepRecord | None = None) -> tuple[Recorder, list[AgentEvent]]:
    events: list[AgentEvent] = []
    recorder = Recorder("t", library, events.append)
    recorder.begin_step(1, record)
    return recorder, events


def test_calls_are_under_way_together_and_written_down_in_their_order() -> None:
    library = Library(side_by_side=True)
    recorder, events = made(library)
    wanted = [("read", {"path": f"/{number}"}) for number in range(SIDE_BY_SIDE)]
    calls = ExitReads(recorder, KeptReads()).answers(wanted)
    assert [each.result for each in calls] == [{"content": f"x/{number}"} for number in range(SIDE_BY_SIDE)]
    sent, done = events[:SIDE_BY_SIDE], events[SIDE_BY_SIDE:]
    assert [(type(each), each.number) for each in sent] == [(ExitCallSent, each) for each in range(SIDE_BY_SIDE)]
    assert [(type(each), each.number) for each in done] == [(ExitCallDone, each) for each in range(SIDE_BY_SIDE)]
    assert recorder.calls == []
    assert recorder.evidence_log.view().touches == {}


def test_refused_calls_stand_in_their_place_and_are_not_made() -> None:
    library = Library()
    recorder, events = made(library)
    wanted = [("write", {"path": "/a", "content": "b"}), READ, ("exec", {"path": "/bin/checkout"})]
    first, read, last = ExitReads(recorder, KeptReads()).answers(wanted)
    assert first.error is not None
    assert (first.error.code, read.result, library.calls) == ("permission_denied", {"content": "x/a.txt"}, ["/a.txt"])
    assert last.error == CallFailure(
        code="permission_denied", message="exec /bin/checkout is not declared to only read"
    )
    assert len(events) == 2


def test_more_calls_than_a_submission_may_make_are_refused_over_all_its_turns() -> None:
    library = Library()
    recorder, _ = made(library)
    reads = ExitReads(recorder, KeptReads(), ReadLimits(calls=3))
    turns = [reads.answers([("read", {"path": f"/{turn}{each}"}) for each in "ab"]) for turn in range(2)]
    assert [call.error is None for turn in turns for call in turn] == [True, True, True, False]
    assert len(library.calls) == 3
    assert [each.result is not None for each in ExitReads(recorder, KeptReads()).answers([READ])] == [True]


def test_no_call_is_made_when_the_time_is_over() -> None:
    library = Library()
    recorder, events = made(library)
    with pytest.raises(OutOfTime):
        ExitReads(recorder, KeptReads(), ReadLimits(wall_s=0.0)).answers([READ])
    assert (library.calls, events) == ([], [])


def test_results_are_kept_until_a_call_may_have_changed_something() -> None:
    library, kept = Library(), KeptReads()
    recorder, _ = made(library)
    for _ in range(2):
        ExitReads(recorder, kept).answers([READ])
    recorder.call("read", {"path": "/b.txt"})
    ExitReads(recorder, kept).answers([READ])
    assert library.calls == ["/a.txt", "/b.txt"]
    recorder.call("write", {"path": "/b.txt", "content": "c"})
    ExitReads(recorder, kept).answers([READ])
    assert library.calls == ["/a.txt", "/b.txt", "/b.txt", "/a.txt"]


def test_what_is_kept_has_a_bound() -> None:
    library, kept = Library(), KeptReads()
    recorder, _ = made(library)
    library.content = "x" * MAX_KEPT_CHARS
    for _ in range(2):
        ExitReads(recorder, kept).answers([READ])
    assert library.calls == ["/a.txt", "/a.txt"]


def test_what_the_aide_knows_of_earlier_submissions_counts_and_is_told_from_what_was_forgotten() -> None:
    library, kept = Library(), KeptReads()
    recorder, _ = made(library)
    reads = ExitReads(recorder, kept, ReadLimits(calls=3))
    reads.count_known(3)
    assert [each.error is not None for each in reads.answers([READ])] == [True]
    since = reads.kept_since
    assert ExitReads(recorder, kept).kept_since == since
    recorder.call("write", {"path": "/b.txt", "content": "c"})
    assert ExitReads(recorder, kept).kept_since != since


def recorded(path: str, submission: int = 0, **outcome: object) -> ExitCall:
    arguments: dict[str, Plain] = {"path": path, "start_line": 0, "end_line": 0}
    return ExitCall(operation="read", arguments=arguments, submission=submission, **outcome)


def test_a_recorded_call_is_taken_and_one_that_was_cut_off_is_made_with_its_number() -> None:
    library = Library()
    record = StepRecord(1, exit_calls=[recorded("/a.txt", result={"content": "then"}), recorded("/b.txt")])
    recorder, events = made(library, record)
    reads = ExitReads(recorder, KeptReads())
    calls = reads.answers([("read", {"path": "/b.txt"}), READ])
    assert [each.result for each in calls] == [{"content": "x/b.txt"}, {"content": "then"}]
    assert library.calls == ["/b.txt"]
    assert [each.number for each in events] == [1, 1]
    assert [each.arguments["path"] for each in recorder.trace.exit_calls] == ["/a.txt", "/b.txt"]


def test_a_recorded_call_belongs_to_its_submission() -> None:
    library = Library()
    recorder, _ = made(library, StepRecord(1, exit_calls=[recorded("/a.txt", 1, result={"content": "then"})]))
    (call,) = ExitReads(recorder, KeptReads()).answers([READ])
    assert call.result == {"content": "x/a.txt"}


def test_a_replay_makes_no_call() -> None:
    library = Library()
    recorder = Recorder("t", library, list[AgentEvent]().append, only_recorded=True)
    recorder.begin_step(1, StepRecord(1, exit_calls=[recorded("/a.txt", result={"content": "then"})]))
    reads = ExitReads(recorder, KeptReads(), ReadLimits(wall_s=0.0))
    known, unknown = reads.answers([READ, ("read", {"path": "/b.txt"})])
    assert known.result == {"content": "then"}
    assert unknown.error == CallFailure(code="unavailable", message="the record holds no such call")
    assert library.calls == []


@pytest.mark.parametrize("side_by_side", [False, True])
def test_a_trial_that_is_left_open_meanwhile_is_left(side_by_side: bool) -> None:
    class Leaving(Library):
        def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
            raise LeftOpen

    recorder, events = made(Leaving(side_by_side=side_by_side))
    with pytest.raises(LeftOpen):
        ExitReads(recorder, KeptReads()).answers([READ])
    assert [type(each) for each in events] == [ExitCallSent]
