"""A changing call that contradicts the records is stopped once, before it reaches the environment.

With the rule set `ecom`, a check of the environment reads the records before each changing call.
A checkout of a basket with more pieces than the store has fails with an error that names the
basket's record and the page with the rule. If the solver makes the same call again, it is sent.
"""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from controlplane.agent.events import CallStopped, TrialEvent
from controlplane.agent.evidence import new_recorder
from controlplane.agent.evidence.tape import Tape
from controlplane.agent.loop import TrialContext, TrialSession
from controlplane.agent.submission import GateSettings
from controlplane.benchmarks.ecom.world.rendered_world import workspace_of
from controlplane.sandbox.interface import CallError, Plain
from tests.benchmarks.ecom.solutions.reference_scripts import RecordingEnvironment
from tests.benchmarks.ecom.variants import generate_variant
from tests.support.functions_here import with_functions_in_process

TRIAL = TrialContext(
    "run1-0", "basket-checkout.1", "Check out.", datetime(2031, 5, 4, tzinfo=UTC)
)


class CheckoutAgainstRecords:
    """A trial in a generated shop. The store has too few pieces of one product in the basket."""

    def __init__(self) -> None:
        task = generate_variant("basket-checkout: one line is short", "seed 1")
        self.basket_path = task.truth.for_tests["basket"]
        self.arguments: dict[str, Plain] = {
            "path": "/bin/checkout",
            "args": [task.truth.for_tests["id"]],
            "stdin": "",
        }
        self.shop = RecordingEnvironment(workspace_of(task.world))
        self.events: list[TrialEvent] = []
        self.recorder = new_recorder(
            TRIAL.trial_id, self.shop, self.events.append, tape=Tape()
        )
        self.session = TrialSession(
            TRIAL,
            with_functions_in_process(self.recorder),
            GateSettings(rule_sets=("ecom",)),
        )

    def check_out(self) -> None:
        """Make the call that the records do not allow. Raises `CallError` if it is stopped."""
        self.session.call("exec", self.arguments)

    @property
    def sent_count(self) -> int:
        """How often the checkout has reached the shop."""
        return self.shop.calls.count(("exec", self.arguments))


class TestCallsAgainstRecords:
    """A checkout of more pieces than the store has is stopped once.

    `trial.check_out()` makes the call. It raises `CallError` if the check stops it, and otherwise
    the shop gets it.
    """

    def test_a_call_against_the_records_is_stopped_once_and_sent_when_repeated(
        self,
    ) -> None:
        """The error names the record and the page with the rule. A solver that makes the same call
        again has read it, and may know better."""
        trial = CheckoutAgainstRecords()

        with pytest.raises(CallError, match=r"make the same call again") as stopped:
            trial.check_out()
        assert f"{trial.basket_path} and /docs/" in stopped.value.message
        assert trial.sent_count == 0

        trial.check_out()
        assert trial.sent_count == 1

    def test_a_stopped_call_and_its_repetition_are_journalled(self) -> None:
        """The second event says what became of the first call."""
        trial = CheckoutAgainstRecords()
        with pytest.raises(CallError) as stopped:
            trial.check_out()
        trial.check_out()
        trial.session.steps.end()

        first_stop, repetition = [
            event for event in trial.events if isinstance(event, CallStopped)
        ]
        assert first_stop.arguments["path"] == "/bin/checkout"
        assert first_stop.then == "not done"
        assert first_stop.objection == stopped.value.message
        assert repetition.arguments["path"] == "/bin/checkout"
        assert repetition.then == "repeated and sent"
        assert repetition.objection == ""

    def test_a_record_that_only_the_check_has_read_does_not_count_as_read(self) -> None:
        """The check reads the record of the basket. The solver has not seen it, so it cannot cite
        it."""
        trial = CheckoutAgainstRecords()
        with pytest.raises(CallError):
            trial.check_out()
        trial.check_out()
        trial.session.steps.end()

        read_paths = trial.recorder.evidence_log.view().accesses

        assert trial.basket_path not in read_paths
