"""What gates rejected in a run, and how those trials ended: a table in reports.

A gate, or a rule that a benchmark adds, is a check of a submitted answer. It may reject the answer,
and the model submits another one. A row counts the rejections of a gate, those that were mended,
and the trials that ended with an accepted or a right answer, as `GateEffect("4", sent_back=5, ...)`.
"""

import pytest

from controlplane.agent.events import Judged, StepDone, VerdictRecord
from controlplane.gate_effects import GateEffect, gate_effects
from controlplane.journal.totals.call_keys import CallKey
from controlplane.journal.totals.objections import Objections
from controlplane.journal.totals.run_folding import fold_event
from controlplane.journal.totals.run_summary import RunSummary
from controlplane.journal.totals.trial_summary import TrialSummary

GATE = "4"
"""The key of a gate: its number."""
RULE = "ecom/return"
"""The key of a rule: its name. In the verdicts of a journal, each rule counts as gate 0."""


def rejection(gate: int, name: str, *, enforcement: str = "block") -> VerdictRecord:
    """Return the verdict of a gate, or of a rule as gate 0, that objects to an answer.

    With the enforcement "off" the verdict is recorded only, and rejects nothing.
    """
    return VerdictRecord(
        gate=gate, name=name, result="reject", reason="why", enforcement=enforcement
    )


def submission(verdicts: list[VerdictRecord], *, accepted: bool) -> Judged:
    """Return the record of one submitted answer, with the verdicts on it."""
    return Judged(
        accepted=accepted,
        answer="",
        outcome="",
        refs=(),
        message="",
        verdicts=tuple(verdicts),
    )


def trial_with(*submissions: Judged) -> TrialSummary:
    """Return the summary of a trial with one step, whose script submitted these answers."""
    run = RunSummary()
    fold_event(run, StepDone(trial_id="t", step=1, verdicts=submissions))
    return run.trials["t"]


class TestRejections:
    """Which gates and rules have rejected an answer is counted from the verdicts in a journal.

    `trial_with(submission([rejection(4, "citations were read")], accepted=False), ...)` is a
    trial with these answers, one after the other.
    """

    def test_a_gate_that_is_switched_off_counts_no_rejection(self) -> None:
        """There are three objections to the first answer; that of "class" is switched off."""
        objections = [
            rejection(4, "citations were read"),
            rejection(0, RULE),
            rejection(6, "class", enforcement="off"),
        ]

        trial = trial_with(
            submission(objections, accepted=False), submission([], accepted=True)
        )

        assert trial.submissions == [
            Objections(rejected=(GATE, RULE), overridden=()),
            Objections(rejected=(), overridden=()),
        ]
        assert {effect.key for effect in gate_effects([trial])} == {GATE, RULE}

    def test_an_answer_that_is_submitted_again_over_an_objection_mends_nothing(
        self,
    ) -> None:
        """A model may insist on its answer. The rule's second objection is then recorded as
        overridden, and the answer is accepted."""
        overridden_objection = VerdictRecord(
            gate=0, name=RULE, result="overridden", reason="why"
        )
        trial = trial_with(
            submission([rejection(0, RULE)], accepted=False),
            submission([overridden_objection], accepted=True),
        )

        (effect,) = gate_effects([trial])

        assert effect.sent_back == 1
        assert effect.mended == 0
        assert effect.accepted == 1


def rejected_by(*keys: str) -> Objections:
    """Return what is counted of an answer that these gates and rules rejected."""
    return Objections(rejected=keys, overridden=())


ACCEPTED = rejected_by()
"""What is counted of an answer without an objection."""


def trial_with_answers(
    trial_id: str, *answers: Objections, score: float | None
) -> TrialSummary:
    """Return a trial in which the model submitted these answers, one after the other:
    `trial_with_answers("a", rejected_by(GATE), ACCEPTED, score=1.0)`."""
    return TrialSummary(
        trial_id, "t", state="answered", score=score, submissions=list(answers)
    )


class TestMendedRejections:
    """A rejection is mended if the next answer has no objection of the same gate or rule.

    A gate and a rule are two kinds of checks of an answer. For example, a model submits three:

    rejected_by(GATE)     mended: the gate does not object to the next answer
    rejected_by(RULE)     mended: the rule does not object to the next answer
    rejected_by(GATE)     not mended: there is no next answer

    The gate has mended "1 of 2" rejections, and the rule "1 of 1".
    """

    @pytest.mark.parametrize(
        ("answers", "mended"),
        [
            pytest.param(
                [rejected_by(GATE), ACCEPTED],
                {GATE: "1 of 1"},
                id="the next answer is accepted",
            ),
            pytest.param(
                [
                    rejected_by(GATE),  # not mended: the gate objects again
                    rejected_by(GATE),  # mended
                    ACCEPTED,
                ],
                {GATE: "1 of 2"},
                id="rejected again by the same gate",
            ),
            pytest.param(
                [
                    rejected_by(GATE),  # mended
                    rejected_by(RULE),  # mended
                    rejected_by(GATE),  # not mended: no answer follows
                ],
                {GATE: "1 of 2", RULE: "1 of 1"},
                id="rejected by gate and rule in turn",
            ),
            pytest.param(
                [
                    rejected_by(GATE, RULE),  # mended for the gate, not for the rule
                    rejected_by(RULE),  # mended
                    rejected_by(GATE),  # not mended: no answer follows
                ],
                {GATE: "1 of 2", RULE: "1 of 2"},
                id="rejected by both, then by each",
            ),
        ],
    )
    def test_a_rejection_is_mended_if_the_next_answer_has_no_such_objection(
        self, answers: list[Objections], mended: dict[str, str]
    ) -> None:
        """ "1 of 2" says that the gate or rule rejected two answers, of which one was mended."""
        trial = trial_with_answers("a", *answers, score=None)

        counts = {}
        for effect in gate_effects([trial]):
            counts[effect.key] = f"{effect.mended} of {effect.sent_back}"

        assert counts == mended

    def test_a_trial_without_a_rejection_has_no_effects(self) -> None:
        accepted_at_once = trial_with_answers("a", ACCEPTED, score=1.0)
        without_an_answer = trial_with_answers("b", score=1.0)

        assert gate_effects([accepted_at_once, without_an_answer]) == ()


FIVE_TRIALS = [
    trial_with_answers("a", rejected_by(GATE), ACCEPTED, score=1.0),
    trial_with_answers(
        "b", rejected_by(GATE, RULE), rejected_by(RULE), rejected_by(GATE), score=0.0
    ),
    trial_with_answers("c", rejected_by(GATE), rejected_by(GATE), ACCEPTED, score=None),
    trial_with_answers("d", ACCEPTED, score=1.0),
    trial_with_answers("e", score=1.0),
]
"""The trials of a run."""


class TestSums:
    """The numbers of a gate are added up over the five trials of a run.

    trial   answers                            score
    a       gate rejects, accepted             1
    b       both reject, rule rejects,         0
            gate rejects
    c       gate rejects, gate rejects,        unknown
            accepted
    d       accepted                           1
    e       none                               1
    """

    def test_the_numbers_of_a_gate_are_sums_over_the_trials_of_a_run(self) -> None:
        """The gate rejected answers in a, b and c. It comes first, as it rejected more than the
        rule."""
        gate_effect, _rule_effect = gate_effects(FIVE_TRIALS)

        assert gate_effect == GateEffect(
            GATE,
            sent_back=1 + 2 + 2,
            mended=1 + 1 + 1,
            trials=3,
            accepted=2,  # the last answers of a and c
            right=1,  # a
            fallback=0,
        )

    def test_the_numbers_of_a_rule_do_not_count_trials_without_its_rejections(
        self,
    ) -> None:
        """The rule rejected answers only in b: the first two, of which the second was mended."""
        _gate_effect, rule_effect = gate_effects(FIVE_TRIALS)

        assert rule_effect == GateEffect(
            RULE,
            sent_back=2,
            mended=1,
            trials=1,
            accepted=0,  # The last answer of b was rejected.
            right=0,
            fallback=0,
        )

    def test_without_a_known_score_it_is_unknown_how_many_trials_were_right(
        self,
    ) -> None:
        trial = trial_with_answers("a", rejected_by(GATE), ACCEPTED, score=None)

        (effect,) = gate_effects([trial])

        assert effect.right is None


def trial_with_stopped_calls(trial_id: str, *ends: str, score: float) -> TrialSummary:
    """Return a trial in which calls of `pay` were stopped, because their values came from a text
    that is not trusted. Its answer was accepted.

    `ends` says for each call what the model did then: "not done", "repeated and sent", ...
    """
    trial = trial_with_answers(trial_id, ACCEPTED, score=score)
    for number, end in enumerate(ends):
        key = CallKey("provenance", "pay", path="", arguments=str(number))
        trial.stopped[key] = end
    return trial


class TestStoppedCalls:
    """A check may also stop a call before it is sent, and the model does something else.

    The check "provenance" stops a payment whose values come from a text that is not trusted.
    """

    def test_stopped_calls_are_counted_with_the_ends_of_their_trials(self) -> None:
        """A call counts as mended if the model did not repeat it: that of a, and the second one of
        b."""
        trials = [
            trial_with_stopped_calls("a", "not done", score=1.0),
            trial_with_stopped_calls(
                "b", "repeated and sent", "done otherwise", score=0.0
            ),
            trial_with_stopped_calls("c", score=1.0),
        ]

        (effect,) = gate_effects(trials)

        assert effect == GateEffect(
            "provenance",
            sent_back=1 + 2,
            mended=1 + 1,
            trials=2,  # those with a stopped call, a and b
            accepted=2,
            right=1,  # a
            fallback=0,
        )

    def test_a_trial_without_stopped_calls_has_no_effects(self) -> None:
        assert gate_effects([trial_with_stopped_calls("c", score=1.0)]) == ()
