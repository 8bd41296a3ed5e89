"""A rejection is mended if the gate that rejected an answer does not object to the next one.

A gate, or a rule that a benchmark adds, is a check of a submitted answer.

Of the three answers of a trial, the gate 4 rejects the first and the last:

    rejected_by("4")        mended
    rejected_by("rule")     mended
    rejected_by("4")        not mended: no answer follows
"""

import pytest

from controlplane.gate_effects import gate_effects
from controlplane.journal.totals.objections import Objections
from controlplane.journal.totals.trial_summary import TrialSummary
from tests.controlplane.report.gate_effects.rejected_trials import ACCEPTED, rejected_by


@pytest.mark.parametrize(
    ("answers", "mended"),
    [
        pytest.param(
            [rejected_by("4"), ACCEPTED],
            {"4": "1 of 1"},
            id="the next answer is accepted",
        ),
        pytest.param(
            [
                rejected_by("4"),  # not mended: the gate objects again
                rejected_by("4"),  # mended
                ACCEPTED,
            ],
            {"4": "1 of 2"},
            id="rejected again by the same gate",
        ),
        pytest.param(
            [
                rejected_by("4"),  # mended
                rejected_by("rule"),  # mended
                rejected_by("4"),  # not mended: no answer follows
            ],
            {"4": "1 of 2", "rule": "1 of 1"},
            id="rejected by gate and rule in turn",
        ),
        pytest.param(
            [
                rejected_by("4", "rule"),  # mended for the gate, not for the rule
                rejected_by("rule"),  # mended
                rejected_by("4"),  # not mended: no answer follows
            ],
            {"4": "1 of 2", "rule": "1 of 2"},
            id="rejected by both, then by each",
        ),
    ],
)
def test_a_rejection_is_mended_if_the_next_answer_has_no_such_objection(
    answers: list[Objections], mended: dict[str, str]
) -> None:
    """ "1 of 2" says that the gate or rule rejected two answers, of which one was mended."""
    trial = TrialSummary("a", "t", state="answered", submissions=answers)

    counts = {}
    for effect in gate_effects([trial]):
        counts[effect.key] = f"{effect.mended} of {effect.sent_back}"

    assert counts == mended
