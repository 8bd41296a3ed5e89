"""What a gate says stays readable, however much it found."""

import pytest

from gates.types.verdict import MAX_REASON_CHARS, rejects, verdict_of


@pytest.mark.parametrize(
    ("length", "end"), [(MAX_REASON_CHARS - 1, "x"), (MAX_REASON_CHARS, "x"), (MAX_REASON_CHARS + 1, "…")]
)
def test_a_reason_is_cut_at_a_bound_and_shows_it(length: int, end: str) -> None:
    reason = rejects(6, "x" * length).reason
    assert len(reason) == min(length, MAX_REASON_CHARS)
    assert reason[-1] == end


@pytest.mark.parametrize(("count", "last"), [(1, "0"), (8, "7"), (9, "… and 1 more of the same kind.")])
def test_eight_faults_are_named_and_the_rest_counted(count: int, last: str) -> None:
    named = verdict_of(3, [str(number) for number in range(count)]).reason.splitlines()
    assert named[-1] == last
    assert named[:8] == [str(number) for number in range(min(count, 8))]
