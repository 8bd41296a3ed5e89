"""A trial that checks out a basket with more pieces of a product than the store has.

    trial = CheckoutAgainstRecords()
    trial.check_out()   # Raises `CallError`: the call contradicts the records, so it is not sent.
    trial.check_out()   # The same call is sent, since the solver has read why it was stopped.

The rule set `ecom`, the rules of a shop, has a function that compares a checkout with the records.
"""

from datetime import UTC, datetime

from controlplane.agent.events import TrialEvent
from controlplane.agent.evidence import new_recorder
from controlplane.agent.evidence.tape import Tape
from controlplane.agent.judging import GateSettings
from controlplane.agent.loop import TrialContext, TrialSession
from controlplane.benchmarks.ecom.world.rendered_world import workspace_of
from controlplane.sandbox.interface import Plain
from tests.benchmarks.ecom.solutions.reference_scripts import RecordingEnvironment
from tests.benchmarks.ecom.variants import generate_variant
from tests.support.functions_here import with_functions_in_process

TRIAL = TrialContext(
    trial_id="run1-0",
    task_id="basket-checkout.1",
    instruction="Check out.",
    now=datetime(2031, 5, 4, tzinfo=UTC),
)


class CheckoutAgainstRecords:
    """The trial, and how often its checkout has reached the shop."""

    def __init__(self) -> None:
        # A generated shop. Of one line (product) in the basket, the store has too few pieces.
        task = generate_variant("basket-checkout: one line is short", seed="seed 1")
        self.basket_path = task.truth.for_tests["basket"]
        basket_id = task.truth.for_tests["id"]
        self.arguments: dict[str, Plain] = {
            "path": "/bin/checkout",
            "args": [basket_id],
            "stdin": "",
        }
        self.shop = RecordingEnvironment(workspace_of(task.world))
        self.events: list[TrialEvent] = []
        self.recorder = new_recorder(
            TRIAL.trial_id, self.shop, self.events.append, tape=Tape()
        )
        self.session = TrialSession(
            TRIAL,
            with_functions_in_process(self.recorder),  # without a sandbox, to be fast
            GateSettings(rule_sets=("ecom",)),
        )

    def check_out(self) -> None:
        """Make the call that the records do not allow. Raises `CallError` if it is stopped."""
        self.session.call("exec", self.arguments)

    @property
    def sent_count(self) -> int:
        """How often the checkout has reached the shop."""
        return self.shop.calls.count(("exec", self.arguments))
