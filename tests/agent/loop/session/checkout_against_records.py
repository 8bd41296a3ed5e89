"""A trial in a generated shop, which wants to check out a basket with more pieces than the store has.

trial = CheckoutAgainstRecords()
trial.check_out()   # Raises `CallError`: a check stops the call, before it reaches the shop.
trial.check_out()   # The same call is sent, since the solver has read why it was stopped.
"""

from datetime import UTC, datetime

from controlplane.agent.events import TrialEvent
from controlplane.agent.evidence import new_recorder
from controlplane.agent.evidence.tape import Tape
from controlplane.agent.loop import TrialContext, TrialSession
from controlplane.agent.submission import GateSettings
from controlplane.benchmarks.ecom.world.rendered_world import workspace_of
from controlplane.sandbox.interface import Plain
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
