"""The script that carries out a ground truth: the right calls of each turn, and the right answer.

It begins with the truth as data:

TURNS = [[('cancel_order', {'order_id': 7})]]
ANSWER = 'The order is cancelled.'
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from pydantic_core import to_jsonable_python

from controlplane.tools.function_tool import RESERVED
from controlplane.tools.script_names import script_name

TruthCall: TypeAlias = tuple[str, Mapping[str, Any]]
"""A right call: the name of the tool and its arguments."""


@dataclass(frozen=True, slots=True)
class Truth:
    """The right way to do a task."""

    turns: Sequence[Sequence[TruthCall]]
    """The calls of each turn of the conversation with the user, in order:
    the tool's name with its arguments, such as `("cancel_order", {"order_id": 7})`.
    Without a user, there is usually only one turn."""
    answer: str = ""
    """The right answer; empty if there is a user."""
    outcome: str = "OUTCOME_OK"
    """The outcome of the answer."""
    tells_user: str = ""
    """The message to the user after each turn, such as "Done.";
    empty if there is no user, so that the trial ends with the answer."""


_SAYS_HELD: Final = "make the same call again"
"""A part of the message that a call is held back
(`REPEAT_IN_LATER_STEP` in `agent/evidence/checks/call_messages.py`)."""

TRUTH_SCRIPT: Final = """
# The scratchpad keeps how far the truth is carried out, so the script of every step is the same.
turn = scratchpad.get('turn', 0)

def make_call(number):
    # Return False if the call is held back, unless that was so in the last step, too.
    name, arguments = TURNS[turn][number]
    try:
        print(getattr(harness, name)(**arguments))
    except HarnessError as error:
        print(error)
        is_held = SAYS_HELD in str(error)
        if is_held and scratchpad.get('held_call') != [turn, number]:
            scratchpad['held_call'] = [turn, number]
            return False
    return True

def make_calls_of_turn():
    # Return False if a call is held back. The next script begins with that call.
    for number in range(scratchpad.get('next_call', 0), len(TURNS[turn])):
        if not make_call(number):
            scratchpad['next_call'] = number
            return False
    return True

def verify(sp):
    return (sp['answer'], sp['outcome']) == (ANSWER, OUTCOME)

if turn >= len(TURNS):
    scratchpad['answer'] = ANSWER
    scratchpad['outcome'] = OUTCOME
    harness.answer(scratchpad, verify)
elif make_calls_of_turn():
    scratchpad['turn'] = turn + 1
    scratchpad['next_call'] = 0
    if TELLS_USER:
        print(harness.say(TELLS_USER))
"""
"""The script of every step. `truth_script` defines the names in capitals before it.

Between the steps, the scratchpad holds:

- `turn` and `next_call`: the place in `TURNS` of the next call.
- `held_call`: the turn and the number of the call that was held back last.
"""


def truth_script(truth: Truth) -> str:
    """Return the script that carries out the next turn of a trial, or answers after the last turn."""
    turns = []
    for calls in truth.turns:
        turns.append([_call_in_script(tool, arguments) for tool, arguments in calls])
    values = (
        f"TURNS = {turns!r}\n"
        f"TELLS_USER = {truth.tells_user!r}\n"
        f"ANSWER = {truth.answer!r}\n"
        f"OUTCOME = {truth.outcome!r}\n"
        f"SAYS_HELD = {_SAYS_HELD!r}"
    )
    return values + TRUTH_SCRIPT


def _call_in_script(tool: str, arguments: Mapping[str, Any]) -> TruthCall:
    """Return a call with the names that scripts use, and with arguments of JSON's types."""
    arguments_in_script = {}
    for name, value in to_jsonable_python(dict(arguments)).items():
        arguments_in_script[script_name(name, set())] = value
    return script_name(tool, set(), RESERVED), arguments_in_script
