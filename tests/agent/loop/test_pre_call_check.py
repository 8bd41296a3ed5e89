"""The pre-call check: a call that records and pages speak against is told once, before it is sent."""

from collections.abc import Mapping

from agent.events import AgentEvent, CallStopped
from agent.evidence import Recorder
from agent.loop import TrialSession
from agent.submission import GateSettings
from benchmarks.ecom.runtime.shop_environment import EcomEnvironment
from sandbox.interface import CallError, Plain
from tests.agent.loop.test_trial_session import TRIAL
from tests.benchmarks.ecom.reference_solutions import generate_variant
from tests.support.functions_here import with_functions

CHECKOUT = "/bin/checkout"


class Shop(EcomEnvironment):
    """A shop that counts the calls that reach it."""

    def __init__(self, variant: str, seed: str = "seed 1") -> None:
        self.task = generate_variant(variant, seed)
        super().__init__(self.task.world.workspace())
        self.runs: list[object] = []

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        if operation == "exec" and arguments["path"] == CHECKOUT:
            self.runs.append(arguments["args"])
        return super().call(operation, arguments)


SHORT = "basket-checkout#2"
ON = GateSettings(rule_sets=("ecom",))


def played(shop: Shop, settings: GateSettings = ON, times: int = 2) -> tuple[list[AgentEvent], list[str], TrialSession]:
    """Check the task's basket out some times in one step; return the events and what each call raised."""
    events: list[AgentEvent] = []
    session = TrialSession(TRIAL, with_functions(Recorder(TRIAL.trial_id, shop, events.append)), settings)
    return events, checked_out(session, shop, times), session


def checked_out(session: TrialSession, shop: Shop, times: int) -> list[str]:
    arguments: dict[str, Plain] = {"path": CHECKOUT, "args": [shop.task.truth.inputs["id"]], "stdin": ""}
    told = []
    for _ in range(times):
        try:
            session.call("exec", arguments)
            told.append("")
        except CallError as error:
            told.append(error.message)
    session.end_step()
    return told


def test_a_call_against_the_records_is_told_once_with_record_and_page_and_sent_when_made_again() -> None:
    shop = Shop(SHORT)
    events, told, session = played(shop)
    basket = shop.task.truth.inputs["basket"]
    assert f"{basket} and /docs/" in told[0]
    assert "make the same call again" in told[0]
    assert told[1] == ""
    assert len(shop.runs) == 1
    stopped = [event for event in events if isinstance(event, CallStopped)]
    assert [(event.arguments["path"], event.then, event.objection) for event in stopped] == [
        (CHECKOUT, "not done", told[0]),
        (CHECKOUT, "repeated and sent", ""),
    ]
    assert basket not in session.exit.recorder.evidence_log.view().accesses
