"""What gates rejected in a run, and how those trials ended: a table in reports.

A gate, or a rule that a benchmark adds, is a check of a submitted answer. It may reject the answer,
and the model submits another one. A row counts the rejections of a gate, those that were mended,
and the trials that ended with an accepted or a right answer, as `GateEffect("4", sent_back=5, ...)`.
"""

from dataclasses import dataclass

import pytest

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


MENDED_AT_ONCE = trial_with_submissions("a", (GATE,), (), score=1.0)
"""The gate rejects the first answer, and accepts the second one."""

REJECTED_AGAIN_AT_THE_END = trial_with_submissions(
    "b", (GATE, RULE), (RULE,), (GATE,), score=0.0
)
"""The gate rejects the first and the last of three answers, the rule the first two."""

MENDED_AT_THE_SECOND_TRY = trial_with_submissions("c", (GATE,), (GATE,), (), score=None)
"""The gate rejects two answers, and accepts the third one. The score is not known."""

WITHOUT_A_REJECTION = trial_with_submissions("d", (), score=1.0)
WITHOUT_AN_ANSWER = trial_with_submissions("e", score=1.0)


@dataclass(frozen=True)
class TrialCounts:
    """How many answers of a trial a gate or rule rejected, and how many of these were mended."""

    sent_back: int
    mended: int
    """A rejected answer is mended if the next one has no objection of the same gate or rule."""


@pytest.mark.parametrize(
    ("trial", "key", "counts"),
    [
        pytest.param(
            MENDED_AT_ONCE,
            GATE,
            TrialCounts(sent_back=1, mended=1),
            id="mended by the second answer",
        ),
        pytest.param(
            REJECTED_AGAIN_AT_THE_END,
            GATE,
            TrialCounts(sent_back=2, mended=1),
            id="the first is mended by the second; no answer follows the last",
        ),
        pytest.param(
            REJECTED_AGAIN_AT_THE_END,
            RULE,
            TrialCounts(sent_back=2, mended=1),
            id="the first is not mended by the second, which is mended by the last",
        ),
        pytest.param(
            MENDED_AT_THE_SECOND_TRY,
            GATE,
            TrialCounts(sent_back=2, mended=1),
            id="the first is not mended by the second, which is mended by the third",
        ),
    ],
)
def test_a_rejection_is_mended_if_the_next_answer_has_no_such_objection(
    trial: TrialSummary, key: str, counts: TrialCounts
) -> None:
    effect_by_key = {effect.key: effect for effect in gate_effects([trial])}
    effect = effect_by_key[key]

    assert TrialCounts(effect.sent_back, effect.mended) == counts


def test_a_trial_without_a_rejection_has_no_effects() -> None:
    assert gate_effects([WITHOUT_A_REJECTION, WITHOUT_AN_ANSWER]) == ()


def test_the_numbers_of_a_run_are_sums_over_its_trials() -> None:
    """The gate with the most rejections comes first. The terms of each sum are in the order of the
    trials."""
    trials = [
        MENDED_AT_ONCE,
        REJECTED_AGAIN_AT_THE_END,
        MENDED_AT_THE_SECOND_TRY,
        WITHOUT_A_REJECTION,
        WITHOUT_AN_ANSWER,
    ]

    gate_effect, rule_effect = gate_effects(trials)

    assert gate_effect == GateEffect(
        GATE,
        sent_back=1 + 2 + 2,
        mended=1 + 1 + 1,
        # Trials in which the gate rejected an answer: the first three.
        trials=3,
        # Those whose last answer was accepted: all but `REJECTED_AGAIN_AT_THE_END`.
        accepted=2,
        # Those with the score 1: `MENDED_AT_ONCE`.
        right=1,
        # Those that ended with the fallback answer: none.
        fallback=0,
    )
    assert rule_effect == GateEffect(
        RULE,
        sent_back=2,
        mended=1,
        # The rule rejected answers only in `REJECTED_AGAIN_AT_THE_END`, which has the score 0, and
        # whose last answer was not accepted.
        trials=1,
        accepted=0,
        right=0,
        fallback=0,
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
    """A call counts as mended if the model did not repeat it. All three answers were accepted."""
    trials = [
        trial_with_stopped_calls("a", "not done", score=1.0),
        trial_with_stopped_calls("b", "repeated and sent", "done otherwise", score=0.0),
        trial_with_stopped_calls("c", score=1.0),
    ]

    (effect,) = gate_effects(trials)

    assert effect == GateEffect(
        "provenance",
        # The stopped calls: one in trial a, two in trial b.
        sent_back=1 + 2,
        # The call in a, and the second one in b.
        mended=1 + 1,
        # Trials with a stopped call: a and b.
        trials=2,
        # Both of them had an accepted answer, and a has the score 1.
        accepted=2,
        right=1,
        fallback=0,
    )


def test_a_trial_without_stopped_calls_has_no_effects() -> None:
    assert gate_effects([trial_with_stopped_calls("c", score=1.0)]) == ()
