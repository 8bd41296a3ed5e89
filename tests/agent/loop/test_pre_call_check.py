"""The pre-call check: a call that records and pages speak against is told once, before it is sent."""

import pytest

from agent.events import AgentEvent, CallStopped
from agent.evidence import Recorder
from agent.loop import TrialSession
from agent.submission import GateSettings
from sandbox.interface import CallError, Plain
from tests.agent.loop.test_trial_session import TRIAL
from tests.benchmarks.ecom.reference_solutions import RecordingEnvironment, generate_variant
from tests.support.functions_here import with_functions

CHECKOUT = "/bin/checkout"


def test_a_call_against_the_records_is_told_once_with_record_and_page_and_sent_when_made_again() -> None:
    task = generate_variant("basket-checkout#2", "seed 1")
    shop, basket = RecordingEnvironment(task.world.workspace()), task.truth.inputs["basket"]
    events: list[AgentEvent] = []
    recorder = with_functions(Recorder(TRIAL.trial_id, shop, events.append))
    session = TrialSession(TRIAL, recorder, GateSettings(rule_sets=("ecom",)))
    checkout: dict[str, Plain] = {"path": CHECKOUT, "args": [task.truth.inputs["id"]], "stdin": ""}
    with pytest.raises(CallError, match=r"make the same call again") as told:
        session.call("exec", checkout)
    assert f"{basket} and /docs/" in told.value.message
    assert ("exec", checkout) not in shop.calls
    session.call("exec", checkout)
    session.end_step()
    assert shop.calls.count(("exec", checkout)) == 1
    stopped = [event for event in events if isinstance(event, CallStopped)]
    assert [(event.arguments["path"], event.then, event.objection) for event in stopped] == [
        (CHECKOUT, "not done", told.value.message),
        (CHECKOUT, "repeated and sent", ""),
    ]
    assert basket not in session.exit.recorder.evidence_log.view().accesses
