"""A trial that repeats a recorded step may do something else than recorded.

In step 1, a script had cited `/a.md` and `/b.md` (`A` and `B`). A resumed trial must not go on otherwise,
and a replay notes the difference. `reader_after(A)` has repeated the first citation.
"""

import pytest

from controlplane.agent.evidence import Difference, RecordDiverged
from tests.agent.evidence.tape.repeated_step import A, B, C, reader_after


def test_a_whole_step_may_not_do_more_than_recorded() -> None:
    reader = reader_after(A, B, record_has_end_of_step=True)

    with pytest.raises(RecordDiverged, match=r"citations\[2\] was nothing, and is now"):
        reader.take(C)


@pytest.mark.parametrize("record_has_end_of_step", [False, True])
def test_a_resumed_trial_may_not_do_something_else(
    record_has_end_of_step: bool,
) -> None:
    reader = reader_after(A, record_has_end_of_step=record_has_end_of_step)

    with pytest.raises(RecordDiverged, match=r"citations\[1\] was path='/b.md'"):
        reader.take(C)


def test_in_a_replay_what_is_not_recorded_counts_as_it_is_now() -> None:
    """The script cites `/c.md` instead of `/b.md`, and one file more than recorded."""
    with_other_citation = reader_after(A, record_has_end_of_step=True, is_replay=True)
    with_third_citation = reader_after(
        A, B, record_has_end_of_step=True, is_replay=True
    )

    assert with_other_citation.take(C) is C
    assert with_third_citation.take(C) is C

    assert with_other_citation.tape.differences == [Difference(1, "citations[1]", B, C)]
    assert with_third_citation.tape.differences == [
        Difference(1, "citations[2]", "nothing", C)
    ]
