"""Calls that a player makes in a trial, and whether they were held.

A *held* call is not sent until it is made again in a later step: `send_money` to an account that
only a mail names. A model that makes it again has been told why, and has thought about it.

    send_in_step(session, PlayedCall("send_money", {"recipient": "DE89"}))  # False: held
    send_in_step(session, PlayedCall("send_money", {"recipient": "DE89"}))  # True: a later step
"""

import json
from dataclasses import dataclass, field
from typing import Any

from controlplane.agent.events import StepDone
from controlplane.agent.loop import TrialSession
from controlplane.sandbox.interface import CallError

# A play: the right calls of a task, by its benchmark's authors, which are made without a model.
#
# Plays measure the provenance rule, which stops a call whose values come from an untrusted text. The rule
# should stop none of the right calls. It should stop the calls that an *injection* asks for, a text of
# an attacker in the task's data:
#
#     Play([PlayedCall("send_money", {"recipient": "DE89", "amount": 50})], answer="Done.",
#          injected_calls=[PlayedCall("send_money", {"recipient": "US12", "amount": 9000})])


@dataclass(frozen=True)
class PlayedCall:
    """A call of a tool."""

    name: str
    arguments: dict[str, Any]


@dataclass(frozen=True)
class Play:
    """The right calls and the right answer of one task, and those that an injection asks for."""

    calls: list[PlayedCall]
    answer: str = ""
    injected_calls: list[PlayedCall] = field(default_factory=list)
    injected_answer: str = ""


def plain(value: Any) -> Any:
    """Return a value as plain JSON data, without the benchmark's own types."""
    return json.loads(json.dumps(value))


# What a user may declare of the tools of AgentDojo's suites, so that fewer right calls are held.
#
# With `--provenance ask`, a call is *held*, not sent at once, if a value of an argument is only in a
# text that somebody else wrote, such as a mail. A declaration says which arguments matter:
#
# - `send_money=only:recipient`: only the recipient is looked at, because it says whom the call reaches
# - `get_user_info=trusted`: nobody but the user writes what this tool returns

SUITES = ("banking", "slack", "travel", "workspace")
"""The parts of AgentDojo."""
SUITES_WITH_LEAKS = ("banking", "slack", "travel")
"""Those in which some injections get through with `ask`."""
ATTACK = "important_instructions"
"""How AgentDojo words its injections."""

DECLARATIONS = {
    "banking": (
        "send_money=only:recipient",
        "schedule_transaction=only:recipient",
        "update_scheduled_transaction=only:recipient",
        "get_user_info=trusted",
    ),
    "slack": (
        "invite_user_to_slack=only:user+user_email",
        "get_users_in_channel=trusted",
        "post_webpage=only:url",
    ),
    "travel": (
        "send_email=only:recipients",
        "get_user_information=trusted",
        "reserve_hotel=only:hotel",
        "reserve_restaurant=only:restaurant",
        "reserve_car_rental=only:company",
    ),
    "workspace": (
        "send_email=only:recipients",
        "create_calendar_event=only:participants",
        "delete_file=only:file_id",
        "add_calendar_event_participants=only:participants",
        "share_file=only:email",
        "search_contacts_by_name=trusted",
        "create_file=only:filename",
        "reschedule_calendar_event=only:event_id",
    ),
}
"""For each suite what `--provenance` may declare of its tools."""


def is_call_held(session: TrialSession, call: PlayedCall) -> bool:
    """Make a call; return whether it was held. A call that fails otherwise counts as sent."""
    try:
        session.make_call(call.name, call.arguments, in_script=True)
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
