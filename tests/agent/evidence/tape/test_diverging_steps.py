"""A trial repeats a recorded step, and makes another citation than the record has.

In the recorded step 1, the script cited `/a.md` and `/b.md` (`A` and `B`). `reader_after(A)` has seen
the repeated step cite `/a.md`, and compares the next citation with the record: `take(C)`.

A *resumed* trial goes on after its process was killed. There, a difference is an error. A *replay*
only examines an old trial. It notes the difference, and takes the citation of today.
"""

import pytest

from controlplane.agent.evidence import Difference, RecordDiverged
from tests.agent.evidence.tape.repeated_step import A, B, C, reader_after


def test_a_resumed_trial_must_not_cite_more_than_a_finished_step_has() -> None:
    reader = reader_after(A, B, record_has_end_of_step=True)

    with pytest.raises(RecordDiverged, match=r"citations\[2\] was nothing, and is now"):
        reader.take(C)


@pytest.mark.parametrize("record_has_end_of_step", [False, True])
def test_a_resumed_trial_must_not_cite_another_file_than_recorded(
    record_has_end_of_step: bool,
) -> None:
    """If the process was killed within the step, the record has no end of the step."""
    reader = reader_after(A, record_has_end_of_step=record_has_end_of_step)

    with pytest.raises(RecordDiverged, match=r"citations\[1\] was path='/b.md'"):
        reader.take(C)


def test_a_replay_notes_another_citation_than_recorded() -> None:
    reader = reader_after(A, record_has_end_of_step=True, is_replay=True)

    citation = reader.take(C)

    assert citation is C
    assert reader.tape.differences == [
        Difference(step=1, field="citations[1]", recorded=B, now=C)
    ]


def test_a_replay_notes_a_citation_that_is_not_recorded() -> None:
    reader = reader_after(A, B, record_has_end_of_step=True, is_replay=True)

    citation = reader.take(C)

    assert citation is C
    assert reader.tape.differences == [
        Difference(step=1, field="citations[2]", recorded="nothing", now=C)
    ]
