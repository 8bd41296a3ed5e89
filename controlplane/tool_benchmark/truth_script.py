"""The script that carries out a ground truth: the right calls of each turn, and the right answer.

A turn is what happens between two messages of the user. A task without a user has one
turn. The script begins with the truth as data:

TURNS = [[('find_order', {'order_id': 7}), ('cancel_order', {'order_id': 7})]]
ANSWER = 'The order is cancelled.'

The setting `provenance` of a run may hold back a changing call once: it is made only if a later
step makes it again. So the steps of this example may be:

1. makes `find_order`; `cancel_order` is held back, and the scratchpad gets `held_call` = 1
2. begins with call 1, `cancel_order`, which is made now; `turn` becomes 1
3. there is no turn 1, so the answer is submitted
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pydantic_core import to_jsonable_python

from controlplane.tool_benchmark.truth import Truth, TruthCall
from controlplane.tools.function_tool import RESERVED
from controlplane.tools.script_names import script_name

_SAYS_HELD: Final = "make the same call again"
"""A part of the message that a call is held back
(`REPEAT_IN_LATER_STEP` in `agent/evidence/checks/call_messages.py`)."""

TRUTH_SCRIPT: Final = """
# Every step runs this same script. The scratchpad keeps how far the work has come:
# the present turn, and the number of its call that was held back in the last step.
turn = scratchpad.get('turn', 0)
held_call = scratchpad.get('held_call')

def make_call(number):
    # Make a call and print its result. Return True if the call is held back.
    name, arguments = TURNS[turn][number]
    try:
        print(getattr(harness, name)(**arguments))
    except HarnessError as error:
        print(error)
        return SAYS_HELD in str(error)
    return False

def make_calls_of_turn():
    # Go on with the call that was held back, or begin with the first one. Return False
    # if a call is held back for the first time: the next step has to repeat it.
    for number in range(held_call or 0, len(TURNS[turn])):
        if make_call(number) and number != held_call:
            scratchpad['held_call'] = number
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
    scratchpad['held_call'] = None
    if TELLS_USER:
        print(harness.say(TELLS_USER))  # The user's reply begins the next turn.
"""
"""The script of every step of a trial. `truth_script` defines the names in capitals before it.

A call that is held back a second time is left out.
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
    """Return a call with the names that scripts use, and with arguments of JSON's types.

    For example, `("get-order", {"from": date(2027, 5, 1)})` becomes
    `("get_order", {"from_": "2027-05-01"})`.
    """
    arguments_in_script = {}
    for name, value in to_jsonable_python(dict(arguments)).items():
        arguments_in_script[script_name(name)] = value
    return script_name(tool, reserved=RESERVED), arguments_in_script
