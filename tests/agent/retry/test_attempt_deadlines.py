from contextlib import suppress

import pytest

from agent.retry.attempt_deadlines import AttemptDeadlines
from sandbox.interface import CallError, error_codes

LATE, DOWN = error_codes.DEADLINE_EXCEEDED, error_codes.UNAVAILABLE


@pytest.mark.parametrize(
    ("deadlines", "asked_ms", "fails", "tries"),
    [
        (AttemptDeadlines(), None, [], [300]),
        (AttemptDeadlines(), None, [LATE], [300, 1500]),
        (AttemptDeadlines(), None, [DOWN], [300]),
        (AttemptDeadlines(), 75, [LATE], [75]),
        (AttemptDeadlines(first_ms=0), None, [LATE], [None]),
        (AttemptDeadlines(second_ms=300), None, [LATE], [300]),
    ],
)
def test_only_what_was_late_is_tried_again_with_a_longer_bound(deadlines, asked_ms, fails, tries):
    bounds, left = [], list(fails)

    def attempt(bound_ms):
        bounds.append(bound_ms)
        if left:
            raise CallError(left.pop(0), "x")
        return "done"

    with suppress(CallError):
        deadlines.call(attempt, asked_ms=asked_ms)
    assert bounds == tries
