"""Calls that a player makes in a trial, and whether they were held.

A *held* call is not sent until it is made again in a later step: `send_money` to an account that
only a mail names. A model that makes it again has been told why, and has thought about it.

    send_in_step(session, PlayedCall("send_money", {"recipient": "DE89"}))  # False: held
    send_in_step(session, PlayedCall("send_money", {"recipient": "DE89"}))  # True: a later step
"""

from controlplane.agent.events import StepDone
from controlplane.agent.loop import TrialSession
from controlplane.sandbox.interface import CallError
from tests.bench.provenance.plays import PlayedCall


def is_call_held(session: TrialSession, call: PlayedCall) -> bool:
    """Make a call; return whether it was held. A call that fails otherwise counts as sent."""
    try:
        session.calls.make(call.name, call.arguments, in_script=True)
    except CallError as error:
        return "was not sent" in error.message
    return False


def send_in_step(session: TrialSession, call: PlayedCall, tries: int = 1) -> bool:
    """Make a call in a step of its own, up to `tries` times until it is sent.

    Return whether it was sent.
    """
    with session.step() as step:
        # The journal's record of a step needs the script that made the calls.
        step.done = StepDone(trial_id="t", step=step.number, code=f"{call.name}(...)")
        for _ in range(tries):
            if not is_call_held(session, call):
                return True
    return False
