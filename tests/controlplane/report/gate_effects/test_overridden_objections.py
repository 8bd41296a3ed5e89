"""An answer that is submitted again over an objection mends nothing.

A gate, or a rule that a benchmark adds, is a check of a submitted answer. A model may insist on its
answer. The second objection is then recorded as overridden, and the answer is accepted.
"""

from controlplane.gate_effects import gate_effects
from controlplane.journal.totals.objections import Objections
from controlplane.journal.totals.trial_summary import TrialSummary
from tests.controlplane.report.gate_effects.rejected_trials import rejected_by


def test_an_answer_that_is_submitted_again_over_an_objection_mends_nothing() -> None:
    first_answer = rejected_by("rule")
    same_answer = Objections(rejected=(), overridden=("rule",))
    trial = TrialSummary(
        "a", "t", state="answered", submissions=[first_answer, same_answer]
    )

    (effect,) = gate_effects([trial])

    assert effect.sent_back == 1
    assert effect.mended == 0
    assert effect.accepted == 1
