"""What gates rejected in a run, and how those trials ended: a table in reports.

A gate, or a rule that a benchmark adds, is a check of a submitted answer. It may reject the answer,
and the model submits another one. A row counts the rejections of a gate, those that were mended,
and the trials that ended with an accepted or a right answer, as `GateEffect("4", sent_back=5, ...)`.
"""

from controlplane.agent.events import Judged, StepDone, VerdictRecord
from controlplane.gate_effects import GateEffect, gate_effects
from controlplane.journal.totals.call_keys import CallKey
from controlplane.journal.totals.objections import Objections
from controlplane.journal.totals.run_folding import fold_event
from controlplane.journal.totals.run_summary import RunSummary
from controlplane.journal.totals.trial_summary import TrialSummary


def rejection(gate: int, name: str, *, enforcement: str = "block") -> VerdictRecord:
    """Return the verdict of a gate, or of a rule as gate 0, that objects to an answer.

    With the enforcement "off" the verdict is recorded only, and rejects nothing.
    """
    return VerdictRecord(
        gate=gate, name=name, result="reject", reason="why", enforcement=enforcement
    )


OVERRIDDEN_OBJECTION = VerdictRecord(
    gate=0, name="ecom/return", result="overridden", reason="why"
)
"""The verdict of a rule that objected before, to an answer that the model submits again."""


def summary_of(*submissions: list[VerdictRecord], accepted: list[bool]) -> TrialSummary:
    """Return the summary of a trial with one step, from the verdicts on each submission."""
    judged = []
    for verdicts, is_accepted in zip(submissions, accepted, strict=True):
        judged.append(
            Judged(
                accepted=is_accepted,
                answer="",
                outcome="",
                refs=(),
                message="",
                verdicts=tuple(verdicts),
            )
        )
    run = RunSummary()
    fold_event(run, StepDone(trial_id="t", step=1, verdicts=tuple(judged)))
    return run.trials["t"]


def test_a_gate_that_is_switched_off_counts_no_rejection() -> None:
    """There are three objections to the first answer; that of "class" is switched off."""
    first_verdicts = [
        rejection(4, "citations were read"),
        rejection(0, "ecom/return"),
        rejection(6, "class", enforcement="off"),
    ]
    trial = summary_of(first_verdicts, [], accepted=[False, True])

    assert trial.submissions == [
        Objections(rejected=("4", "ecom/return"), overridden=()),
        Objections(rejected=(), overridden=()),
    ]
    assert {effect.key for effect in gate_effects([trial])} == {"4", "ecom/return"}


def test_an_answer_that_is_submitted_again_over_an_objection_mends_nothing() -> None:
    """A model may insist on its answer. The objection is then recorded as overridden."""
    trial = summary_of(
        [rejection(0, "ecom/return")], [OVERRIDDEN_OBJECTION], accepted=[False, True]
    )
    (effect,) = gate_effects([trial])

    assert effect.sent_back == 1
    assert effect.mended == 0
    assert effect.accepted == 1


GATE = "4"
RULE = "ecom/return"


def trial_with_submissions(
    trial_id: str, *rejected_by: tuple[str, ...], score: float | None = 1.0
) -> TrialSummary:
    """Return a trial in which answers were submitted in turn, each rejected by some or none.

    `trial_with_submissions("a", (GATE,), ())` has one that the gate rejects, and one that is
    accepted.
    """
    submissions = []
    for keys in rejected_by:
        submissions.append(Objections(rejected=keys, overridden=()))
    return TrialSummary(
        trial_id, "t", state="answered", score=score, submissions=submissions
    )


def test_a_rejection_is_mended_if_the_next_answer_has_no_such_objection() -> None:
    """Each row has the objections to each answer of a trial, one after the other."""
    trials = [
        # Mended at once.
        trial_with_submissions("a", (GATE,), (), score=1.0),
        # The gate's objection is mended, and comes back with the last answer; the rule's stays
        # for one answer more, and is then mended.
        trial_with_submissions("b", (GATE, RULE), (RULE,), (GATE,), score=0.0),
        # Mended at the second try.
        trial_with_submissions("c", (GATE,), (GATE,), (), score=None),
        # Without a rejection.
        trial_with_submissions("d", (), score=1.0),
        trial_with_submissions("e", score=1.0),
    ]

    gate_effect, rule_effect = gate_effects(trials)

    assert gate_effect == GateEffect(
        GATE, sent_back=5, mended=3, trials=3, accepted=2, right=1, fallback=0
    )
    assert rule_effect == GateEffect(
        RULE, sent_back=2, mended=1, trials=1, accepted=0, right=0, fallback=0
    )


def test_without_a_known_score_it_is_unknown_how_many_trials_were_right() -> None:
    trial = trial_with_submissions("a", (GATE,), (), score=None)
    (effect,) = gate_effects([trial])

    assert effect.right is None


def trial_with_stopped_calls(trial_id: str, *ends: str, score: float) -> TrialSummary:
    """Return a trial in which calls of `pay` were stopped, because their values came from a text
    that is not trusted. `ends` is what became of each call."""
    trial = trial_with_submissions(trial_id, (), score=score)
    for number, end in enumerate(ends):
        key = CallKey("provenance", "pay", path="", arguments=str(number))
        trial.stopped[key] = end
    return trial


def test_stopped_calls_are_counted_with_the_ends_of_their_trials() -> None:
    """A call counts as mended if the model did not repeat it."""
    trials = [
        trial_with_stopped_calls("a", "not done", score=1.0),
        trial_with_stopped_calls("b", "repeated and sent", "done otherwise", score=0.0),
        trial_with_stopped_calls("c", score=1.0),
    ]

    (effect,) = gate_effects(trials)

    assert effect == GateEffect(
        "provenance", sent_back=3, mended=2, trials=2, accepted=2, right=1, fallback=0
    )


def test_a_trial_without_stopped_calls_has_no_effects() -> None:
    assert gate_effects([trial_with_stopped_calls("c", score=1.0)]) == ()
