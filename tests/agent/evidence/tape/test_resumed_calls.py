"""A resumed trial takes what is recorded of it from its tape, and does the rest.

If a process is killed in the middle of a trial, `resume` runs the trial's code again. Results of
recorded calls, and decisions of the user, come from the journal: nobody is asked twice, and
nothing is paid twice. The table of the trial's events is in `paying_trial.py`.
"""

from __future__ import annotations

import pytest

from controlplane.agent.evidence import RecordDiverged, parse_policy
from tests.agent.evidence.tape.paying_trial import (
    APPROVED_ACCOUNT,
    REFUSED_ACCOUNT,
    PayingTrial,
    approvals_in,
)
from tests.support.journals.read_events import is_announced_call


@pytest.fixture(scope="module")
def whole_trial() -> PayingTrial:
    """Return the trial after it has run to its end without an interruption: nine events."""
    return PayingTrial().run()


class TestQuestionsAndPayments:
    """A resumed trial asks about, and pays, only what is not recorded.

    The whole trial has nine events. By the third, the user has refused the first payment, and by
    the fifth approved of the second one. The seventh announces it, and the eighth has its result.
    Each test kills the process after some event, and resumes the trial.
    """

    @pytest.mark.parametrize(
        ("event_count", "question_count"),
        [
            pytest.param(1, 2, id="before the mail is read"),
            pytest.param(2, 2, id="before the first question"),
            pytest.param(3, 1, id="after the refusal"),
            pytest.param(4, 1, id="after the refused payment was stopped"),
            pytest.param(5, 0, id="after the approval"),
            pytest.param(6, 0, id="before the approved payment is announced"),
            pytest.param(7, 0, id="after the payment was announced"),
            pytest.param(8, 0, id="after the payment was made"),
        ],
    )
    def test_a_resumed_trial_asks_the_user_only_what_was_not_decided_before(
        self, whole_trial: PayingTrial, event_count: int, question_count: int
    ) -> None:
        """The process is killed after this many events. The user is asked about two payments in
        all."""
        recorded = whole_trial.events[:event_count]

        resumed = PayingTrial(recorded).run()

        earlier_questions = [approval.text for approval in approvals_in(recorded)]
        assert len(resumed.questions) == question_count
        assert earlier_questions + resumed.questions == whole_trial.questions

    @pytest.mark.parametrize("event_count", [1, 2, 3, 4, 5, 6])
    def test_a_trial_that_was_killed_before_the_payment_pays_when_it_is_resumed(
        self, whole_trial: PayingTrial, event_count: int
    ) -> None:
        """The payment is announced by the seventh event, so it has not been made yet."""
        resumed = PayingTrial(whole_trial.events[:event_count]).run()

        assert resumed.paid == [APPROVED_ACCOUNT]

    def test_a_payment_that_was_under_way_is_not_made_again(
        self, whole_trial: PayingTrial
    ) -> None:
        """The process is killed after the payment was announced. It may have been made, although
        its result is not in the journal."""
        recorded = whole_trial.events[:7]
        assert is_announced_call(recorded[-1])

        resumed = PayingTrial(recorded).run()

        assert resumed.paid == []

    def test_a_trial_that_was_killed_after_the_payment_does_not_pay_again(
        self, whole_trial: PayingTrial
    ) -> None:
        """The eighth event has the result of the payment."""
        resumed = PayingTrial(whole_trial.events[:8]).run()

        assert resumed.paid == []

    def test_an_approval_does_not_count_for_another_payment(self) -> None:
        """The process is killed after the user approved of a payment. The resumed trial, whose
        solver does not do the same twice, wants to pay to another account."""
        trial = PayingTrial()
        trial.call("read", path="/mail/m1.md")
        trial.call("pay", recipient=APPROVED_ACCOUNT)
        recorded = trial.events[:2]
        (approval,) = approvals_in(recorded)
        assert approval.answer == "approved"

        resumed = PayingTrial(recorded)
        resumed.call("read", path="/mail/m1.md")
        with pytest.raises(RecordDiverged, match="approvals was pay"):
            resumed.session.call("pay", {"recipient": REFUSED_ACCOUNT})

        assert resumed.paid == []


class TestRepeatedSteps:
    """A resumed trial makes the calls of its step again, and gets their recorded results.

    The solver must come to the same end, and may make no other call than those that are recorded.
    The process is killed before the step ends, after at most eight of nine events.
    """

    @pytest.mark.parametrize("event_count", [1, 2, 3, 4, 5, 6, 8])
    def test_a_resumed_trial_comes_to_the_same_end(
        self, whole_trial: PayingTrial, event_count: int
    ) -> None:
        """It does unless the payment was under way, after seven events. The solver gets the same
        results, and the events of both attempts together are those of one trial."""
        recorded = whole_trial.events[:event_count]

        resumed = PayingTrial(recorded).run()

        events_of_both = [*recorded, *resumed.events]
        types_of_both = [event.type for event in events_of_both]
        types_of_whole_trial = [event.type for event in whole_trial.events]
        assert resumed.results == whole_trial.results
        assert types_of_both == types_of_whole_trial

    def test_recorded_calls_may_exceed_a_limit_that_was_lowered_since(
        self, whole_trial: PayingTrial
    ) -> None:
        """The record has two calls that were made. With the new limit of one call, the second would
        be refused if it were not recorded."""
        resumed = PayingTrial(whole_trial.events[:8])
        resumed.session.calls.limit.max_calls = 1

        resumed.run()

        assert resumed.results == whole_trial.results
        assert resumed.paid == []

    def test_a_resumed_trial_that_makes_another_call_is_refused(
        self, whole_trial: PayingTrial
    ) -> None:
        """The first call in the record has a path that is too long. The resumed trial reads the
        mail."""
        resumed = PayingTrial(whole_trial.events[:8])

        with pytest.raises(RecordDiverged, match="step 1 does not go as recorded"):
            resumed.session.call("read", {"path": "/mail/m1.md"})

        assert resumed.paid == []

    def test_a_resumed_trial_that_stops_another_payment_is_refused(self) -> None:
        """The process is killed after a payment was stopped. The resumed trial wants to pay to the
        other account, which the setting `block` stops without a question."""
        trial = PayingTrial()
        trial.call("read", path="/mail/m1.md")
        trial.call("pay", recipient=REFUSED_ACCOUNT)

        resumed = PayingTrial(trial.events)
        resumed.session.recorder.call_origins.policy = parse_policy("block")
        resumed.call("read", path="/mail/m1.md")
        with pytest.raises(RecordDiverged, match="stopped was pay was not sent"):
            resumed.session.call("pay", {"recipient": APPROVED_ACCOUNT})

        assert resumed.paid == []
