"""If a trial repeats a recorded step, the record says how each of its actions ended.

In step 1, a script had cited `/a.md` and `/b.md` (`A` and `B`) when its process was killed. The trial is
resumed or replayed: `reader_after(A)` has repeated the first citation, and `take` takes the next one.
"""

import pytest

from controlplane.agent.evidence import Difference
from tests.agent.evidence.tape.repeated_step import REFUSED_B, A, B, C, reader_after


def test_in_a_new_step_everything_is_new() -> None:
    reader = reader_after()
    reader.step_log.begin(2)

    assert reader.take(A) is None
    assert reader.tape.differences == []


@pytest.mark.parametrize("is_replay", [False, True])
def test_the_same_action_is_recorded(is_replay: bool) -> None:
    reader = reader_after(A, is_replay=is_replay)

    assert reader.take(B) is B
    assert reader.tape.differences == []


@pytest.mark.parametrize("is_replay", [False, True])
def test_of_two_outcomes_the_recorded_one_counts(is_replay: bool) -> None:
    reader = reader_after(A, is_replay=is_replay)

    assert reader.take(REFUSED_B) is B
    assert reader.tape.differences == [Difference(1, "citations[1]", B, REFUSED_B)]


def test_after_the_end_of_a_step_that_was_cut_off_an_action_is_new() -> None:
    reader = reader_after(A, B)

    assert reader.take(C) is None
    assert reader.tape.differences == []
