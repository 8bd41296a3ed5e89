"""A benchmark's ground truth, and a player that carries it out in place of a model.

A benchmark declares by `Truth` the right calls of each turn and the right answer. The
player makes these calls as a perfect model would. So a run of it shows whether the
grader, the gates and the provenance policy accept right work.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from pydantic_core import to_jsonable_python

from controlplane.agent.model import Model, ModelError, ModelRequest, Reply
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


class TruthPlayer(Model):
    """Replies with scripts that carry out the ground truth: the calls of one turn, then the answer.

    The run's setting `provenance` may hold back a call whose arguments come from a text
    that is not trusted. The call then fails with a reason, and is sent if the model
    repeats it in a later step. So a call that is held back ends the script, and the
    next script begins with this call. After any other failure, the script prints the
    error and makes the next call.
    """

    name = "truth"

    def __init__(self, truth: Callable[[str], Truth | None]) -> None:
        """Create a player. `truth` returns the ground truth of a task; None if it is not known."""
        self._truth = truth

    def reply_to(self, request: ModelRequest) -> Reply:
        """Return the script of the trial's next turn. Raises `ModelError` if there is no truth."""
        truth = self._truth(request.task_id)
        if truth is None:
            msg = f"the ground truth of {request.task_id!r} is not known"
            raise ModelError(msg)
        # Each message of the assistant is an earlier reply of this player.
        reply_count = 0
        for message in request.messages:
            if message["role"] == "assistant":
                reply_count += 1
        # A trial whose scripts are all the same would count as stuck.
        script = f"# reply {reply_count + 1}\n{truth_script(truth)}"
        # The form of every reply of a model (see `agent/reply/reply.py`).
        action = {"state": "as planned", "plan": [], "done": False, "code": script}
        return Reply(text=json.dumps(action))


_SAYS_HELD: Final = "make the same call again"
"""A part of the message that a call is held back
(`REPEAT_IN_LATER_STEP` in `agent/evidence/checks/call_messages.py`)."""

TRUTH_SCRIPT: Final = """
# The scratchpad keeps how far the truth is carried out, so the script of every step is the same.
turn = scratchpad.get('turn', 0)
first_call = scratchpad.get('next_call', 0)
is_held = False
if turn < len(TURNS):
    for number, (name, arguments) in enumerate(TURNS[turn][first_call:], first_call):
        try:
            print(getattr(harness, name)(**arguments))
        except HarnessError as error:
            print(error)
            may_insist = SAYS_HELD in str(error)
            if may_insist and scratchpad.get('held_call') != [turn, number]:
                is_held = True
                scratchpad['held_call'] = [turn, number]
                scratchpad['next_call'] = number
                break
    if not is_held:
        scratchpad['turn'] = turn + 1
        scratchpad['next_call'] = 0
        if TELLS_USER:
            print(harness.say(TELLS_USER))
else:
    scratchpad['answer'] = ANSWER
    scratchpad['outcome'] = OUTCOME
    def verify(sp):
        return (sp['answer'], sp['outcome']) == (ANSWER, OUTCOME)
    harness.answer(scratchpad, verify)
"""
"""The script of every step. `truth_script` defines the names in capitals before it.

Between the steps, the scratchpad holds:

- `turn` and `next_call`: the place in `TURNS` of the next call.
- `held_call`: the turn and the number of the call that was held back last.
  If it is held back again, repeating it does not help, and the script goes
  on with the next call.
"""


def truth_script(truth: Truth) -> str:
    """Return the script that carries out the next turn of a trial, or answers after the last turn.

    It begins with the truth as data: `TURNS = [[('cancel_order', {'order_id': 7})]]`.
    """
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
