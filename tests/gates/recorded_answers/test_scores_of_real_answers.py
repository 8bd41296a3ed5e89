"""Of thousands of answers of real models, the gates catch wrong ones, and hold up no right one.

The gates are checks that an answer has to pass before it is submitted. The answers were recorded
with the score that a grader gave them: 1 if an answer is right. A change may not make the gates
worse.
"""

from __future__ import annotations

import pytest

from controlplane.gates.recorded_answers import read_scored
from controlplane.gates.score_report import score_report
from controlplane.gates.worker_judging import load_rule_set
from tests.gates.recorded_answers.real_answers import RECORDED, needs_real_answers

pytestmark = needs_real_answers


@pytest.mark.parametrize(
    ("rule_set_names", "least_caught_percent"),
    [
        # The gates catch a little more than this. A change may not make them worse.
        pytest.param((), 4.0, id="gates alone"),
        pytest.param(("ecom",), 34.0, id="with the rule set of the shop"),
    ],
)
def test_real_wrong_answers_are_caught_and_no_right_one_is_held_up(
    rule_set_names: tuple[str, ...], least_caught_percent: float
) -> None:
    """The gates alone catch few, since a record lacks the calls. The rule set knows what
    answers in the shop look like, and catches a third of the wrong ones."""
    rule_sets = tuple(load_rule_set(name) for name in rule_set_names)
    answers = read_scored(RECORDED)

    report = score_report(answers, rule_sets)

    # The file has thousands of answers, and most are right: it was read to its end.
    assert report.right > 1_500
    assert report.held_up_ids == []  # ids of right answers that were rejected
    assert report.caught_percent >= least_caught_percent
