"""If a trial repeats a recorded step, its actions end as the record says.

The record has the citations `A` of `/a.md` and `B` of `/b.md`; then the process was killed. The trial is
resumed or replayed. `reader_after(A)` has repeated the first citation. `take` gets the next one, and
returns the recorded one, or None if the citation is new.
"""

import pytest

from controlplane.agent.evidence import Difference
from tests.agent.evidence.tape.repeated_step import REFUSED_B, A, B, C, reader_after

RESUMED_AND_REPLAYED = pytest.mark.parametrize(
    "is_replay", [pytest.param(False, id="resumed"), pytest.param(True, id="replayed")]
)


@RESUMED_AND_REPLAYED
def test_the_same_action_is_recorded(is_replay: bool) -> None:
    reader = reader_after(A, is_replay=is_replay)

    assert reader.take(B) is B
    assert reader.tape.differences == []


@RESUMED_AND_REPLAYED
def test_of_two_outcomes_the_recorded_one_counts(is_replay: bool) -> None:
    """`/b.md` is refused now, and was accepted in the record. The difference is noted."""
    reader = reader_after(A, is_replay=is_replay)

    assert reader.take(REFUSED_B) is B
    assert reader.tape.differences == [Difference(1, "citations[1]", B, REFUSED_B)]


def test_after_the_last_recorded_action_an_action_is_new() -> None:
    """The process was killed after `B`, so nobody knows what it would have cited next."""
    reader = reader_after(A, B)

    assert reader.take(C) is None
    assert reader.tape.differences == []


def test_in_the_next_step_everything_is_new() -> None:
    """The record has step 1 only."""
    reader = reader_after()
    reader.step_log.begin(2)

    assert reader.take(A) is None
    assert reader.tape.differences == []
