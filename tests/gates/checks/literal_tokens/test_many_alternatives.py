"""Gate 8 counts alternative tokens that contain each other in linear time.

An answer must contain exactly one of the alternatives `["yes", "no"]`, so the gate counts those
that it contains. With `["+", "++", "+++"]`, each occurs in all longer ones, at several places.
"""

from __future__ import annotations

from tests.gates.checks.literal_tokens.token_objections import objection_to_tokens
from tests.support.executed_work import assert_linear


def judge_answer_with_all_alternatives(repetitions: int) -> None:
    """Judge an answer with 40 alternatives from `+` to `+++…`, each of them many times.

    Two repetitions of the first three are `+ + ++ ++ +++ +++`.
    """
    alternatives = ["+" * length for length in range(1, 41)]
    words: list[str] = []
    for alternative in alternatives:
        words += [alternative] * repetitions

    objection = objection_to_tokens(" ".join(words), tokens=[alternatives])

    assert "holds 40 of the alternatives" in objection


def test_counting_alternatives_that_contain_each_other_is_linear_work() -> None:
    """Twice as many repetitions must not take much more than twice the work."""
    assert_linear(judge_answer_with_all_alternatives, 50)
