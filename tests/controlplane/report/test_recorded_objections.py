"""Which gates and rules objected to an answer is read from the verdicts in a journal.

Gates are the product's checks of an answer, with the numbers 1 to 8. A rule is a check that a
benchmark adds. The verdict of a rule has the gate 0, and the rule's name: "ecom/return".
"""

from controlplane.agent.events import Judged, StepDone, VerdictRecord
from controlplane.journal.totals.objections import Objections
from controlplane.journal.totals.run_folding import fold_event
from controlplane.journal.totals.run_summary import RunSummary


def objections_to(*verdicts: VerdictRecord, accepted: bool) -> Objections:
    """Return what is counted of a step that submitted an answer with these verdicts."""
    submission = Judged(
        accepted=accepted, answer="", outcome="", refs=(), message="", verdicts=verdicts
    )
    run = RunSummary()
    fold_event(run, StepDone(trial_id="t", step=1, verdicts=(submission,)))
    (objections,) = run.trials["t"].submissions  # one for each submitted answer
    return objections


def test_gates_and_rules_that_rejected_an_answer_are_counted_by_number_and_name() -> (
    None
):
    by_gate = VerdictRecord(
        gate=4, name="citations were read", result="reject", reason="why"
    )
    by_rule = VerdictRecord(gate=0, name="ecom/return", result="reject", reason="why")

    objections = objections_to(by_gate, by_rule, accepted=False)

    assert objections == Objections(rejected=("4", "ecom/return"), overridden=())


def test_a_gate_that_is_switched_off_counts_no_rejection() -> None:
    """The verdict of such a gate is only recorded: the answer is sent all the same."""
    switched_off = VerdictRecord(
        gate=6, name="class", result="reject", reason="why", enforcement="off"
    )

    objections = objections_to(switched_off, accepted=True)

    assert objections == Objections(rejected=(), overridden=())


def test_an_objection_over_which_the_model_insisted_counts_as_overridden() -> None:
    """The model submits the same answer again after an objection, and it is accepted."""
    overridden = VerdictRecord(
        gate=0, name="ecom/return", result="overridden", reason="why"
    )

    objections = objections_to(overridden, accepted=True)

    assert objections == Objections(rejected=(), overridden=("ecom/return",))


def test_an_answer_without_verdicts_has_no_objections() -> None:
    assert objections_to(accepted=True) == Objections(rejected=(), overridden=())
