"""What counts if a trial repeats a recorded step: what is recorded, or what happens now.

In step 1, a script had cited two files when its process was killed: `/a.md` and `/b.md`. In a *whole*
step, the script had ended after that.
"""

from __future__ import annotations

import pytest

from controlplane.agent.events import Citation, StepDone
from controlplane.agent.evidence import Difference, RecordDiverged, Tape
from controlplane.agent.evidence.calls.step_log import StepLog
from controlplane.agent.evidence.tape import TapeReader
from controlplane.agent.record.recorded_steps import RecordedSteps
from controlplane.agent.record.trial_record import TrialRecord
from controlplane.agent.record.trial_step import TrialStep

A = Citation(path="/a.md", reason="it names the fee", spelling="/a.md")
B = Citation(path="/b.md", reason="it names the fee", spelling="/b.md")
C = Citation(path="/c.md", reason="it names the fee", spelling="/c.md")
REFUSED_B = Citation(path="/b.md", reason="it names the fee", error="it was not read")
"""The same citation as `B`, with another outcome."""


def reader_after(
    *cited_now: Citation, is_whole: bool = False, is_replay: bool = False
) -> TapeReader:
    """Return the reader of a trial that repeats step 1, and has cited these files so far."""
    recorded = TrialStep(1, citations=[A, B])
    steps = RecordedSteps(open=recorded)
    if is_whole:
        recorded.done = StepDone(trial_id="t", step=1)
        steps = RecordedSteps(whole=[recorded])
    step_log = StepLog()
    step_log.begin(1)
    step_log.trial_step.citations += cited_now
    return TapeReader(Tape(TrialRecord(all_steps=steps), is_replay), step_log)


def differences_of(reader: TapeReader) -> list[Difference]:
    """Return what the reader has noted."""
    return reader.tape.differences


def test_in_a_new_step_everything_is_new() -> None:
    reader = reader_after()
    reader.step_log.begin(2)

    assert reader.take(A) is None
    assert differences_of(reader) == []


@pytest.mark.parametrize("is_replay", [False, True])
def test_the_same_action_is_recorded(is_replay: bool) -> None:
    reader = reader_after(A, is_replay=is_replay)

    assert reader.take(B) is B
    assert differences_of(reader) == []


@pytest.mark.parametrize("is_replay", [False, True])
def test_of_two_outcomes_the_recorded_one_counts(is_replay: bool) -> None:
    reader = reader_after(A, is_replay=is_replay)

    assert reader.take(REFUSED_B) is B
    assert differences_of(reader) == [Difference(1, "citations[1]", B, REFUSED_B)]


def test_after_the_end_of_a_step_that_was_cut_off_an_action_is_new() -> None:
    reader = reader_after(A, B)

    assert reader.take(C) is None
    assert differences_of(reader) == []


def test_a_whole_step_may_not_do_more_than_recorded() -> None:
    reader = reader_after(A, B, is_whole=True)

    with pytest.raises(RecordDiverged, match=r"citations\[2\] was nothing, and is now"):
        reader.take(C)


@pytest.mark.parametrize("is_whole", [False, True])
def test_a_resumed_trial_may_not_do_something_else(is_whole: bool) -> None:
    reader = reader_after(A, is_whole=is_whole)

    with pytest.raises(RecordDiverged, match=r"citations\[1\] was path='/b.md'"):
        reader.take(C)


def test_in_a_replay_what_is_not_recorded_counts_as_it_is_now() -> None:
    """The script cites `/c.md` instead of `/b.md`, and one file more than recorded."""
    with_other_citation = reader_after(A, is_whole=True, is_replay=True)
    with_third_citation = reader_after(A, B, is_whole=True, is_replay=True)

    assert with_other_citation.take(C) is C
    assert with_third_citation.take(C) is C

    assert differences_of(with_other_citation) == [Difference(1, "citations[1]", B, C)]
    assert differences_of(with_third_citation) == [
        Difference(1, "citations[2]", "nothing", C)
    ]
