"""A benchmark's ground truth, and the player that carries it out.

A benchmark says by `Truth` which calls are right in each turn, and which answer. The player makes
them as a perfect model would, so a run of it shows whether the benchmark's grader, the gates and
the provenance policy let right work through.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pydantic_core import to_jsonable_python

from controlplane.agent.model import Model, ModelError, ModelRequest, Reply
from controlplane.function_tool import RESERVED
from controlplane.script_names import script_name


@dataclass(frozen=True, slots=True)
class Truth:
    """How a task is rightly done."""

    turns: Sequence[Sequence[tuple[str, Mapping[str, Any]]]]
    """The calls of each turn, in order: the tool's name and its arguments."""
    answer: str = ""
    """The right answer, if there is no user."""
    outcome: str = "OUTCOME_OK"
    """The outcome of the answer."""
    tells_user: str = ""
    """What is told to the user after each turn, such as "Done."; empty if there is no user, so that
    the trial ends with the answer."""


class TruthPlayer(Model):
    """Carries the ground truth out: the calls of one turn in each script, then the answer.

    A call that is held ends its script and is made once more by the next one, because a provenance
    policy lets a model insist only in a later step. Any other call that fails is printed, and the
    next call is made.
    """

    name = "truth"

    def __init__(self, truth: Callable[[str], Truth | None]) -> None:
        """`truth` returns the ground truth of a task, None if it is not known."""
        self._truth = truth

    def reply_to(self, request: ModelRequest) -> Reply:
        """Return the script of the trial's next turn. Raises `ModelError` if there is no truth."""
        truth = self._truth(request.task_id)
        if truth is None:
            msg = f"the ground truth of {request.task_id!r} is not known"
            raise ModelError(msg)
        replies = sum(message["role"] == "assistant" for message in request.messages)
        # A trial whose scripts are all alike is taken for one that is stuck.
        script = f"# reply {replies + 1}\n{truth_script(truth)}"
        action = {"state": "as planned", "plan": [], "done": False, "code": script}
        return Reply(text=json.dumps(action))


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
            may_insist = 'make the same call again' in str(error)
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


def truth_script(truth: Truth) -> str:
    """Return the script that carries out the next turn of a trial, or answers after the last."""
    turns = []
    for calls in truth.turns:
        calls_as_data = []
        for name, arguments in calls:
            arguments_by_name = {}
            for argument_name, value in to_jsonable_python(dict(arguments)).items():
                arguments_by_name[script_name(argument_name, set())] = value
            calls_as_data.append((script_name(name, set(), RESERVED), arguments_by_name))
        turns.append(calls_as_data)
    values = (
        f"TURNS = {turns!r}\n"
        f"TELLS_USER = {truth.tells_user!r}\n"
        f"ANSWER = {truth.answer!r}\n"
        f"OUTCOME = {truth.outcome!r}"
    )
    return values + TRUTH_SCRIPT
