"""A benchmark's ground truth: the right calls of each turn and the right answer, and the player that carries it out."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

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
    """Makes the calls of the ground truth, one script a turn, and gives its answer.

    A held call is made a second time; the journal reports it. A call that fails is printed, and the
    next one is made.
    """

    name = "truth"

    def __init__(self, truth: Callable[[str], Truth | None]) -> None:
        """`truth` returns the ground truth of a task, None if it is not known."""
        self._truth = truth

    def reply_to(self, request: ModelRequest) -> Reply:
        """Return the script of the trial's next turn. Raises `ModelError` if there is none."""
        truth = self._truth(request.task_id)
        if truth is None:
            msg = f"the ground truth of {request.task_id!r} is not known"
            raise ModelError(msg)
        turn = sum(message["role"] == "assistant" for message in request.messages)
        if turn < len(truth.turns):
            code = calls_script(truth.turns[turn])
            if truth.tells_user:
                code += f"\nprint(harness.say({truth.tells_user!r}).reply)"
        elif turn == len(truth.turns) and not truth.tells_user:
            code = answer_script(truth.answer, truth.outcome)
        else:
            msg = f"the ground truth of {request.task_id!r} has {len(truth.turns)} turns"
            raise ModelError(msg)
        action = {"state": "as planned", "plan": [], "done": False, "code": code}
        return Reply(text=json.dumps(action))


def calls_script(calls: Sequence[tuple[str, Mapping[str, Any]]]) -> str:
    """Return a script that makes the calls, those that are held a second time, and prints what
    they return."""
    calls_as_data = []
    for name, arguments in calls:
        arguments_by_name = {}
        for argument_name, value in to_jsonable_python(dict(arguments)).items():
            arguments_by_name[script_name(argument_name, set())] = value
        calls_as_data.append((script_name(name, set(), RESERVED), arguments_by_name))
    return f"""for name, arguments in {calls_as_data!r}:
    for attempt in range(2):
        try:
            print(getattr(harness, name)(**arguments))
            break
        except HarnessError as error:
            print(error)
            if 'make the same call again' not in str(error):
                break"""


def answer_script(answer: str, outcome: str) -> str:
    """Return a script that submits an answer."""
    return f"""ANSWER, OUTCOME = {answer!r}, {outcome!r}
scratchpad['answer'], scratchpad['outcome'] = ANSWER, OUTCOME
def verify(sp):
    return (sp['answer'], sp['outcome']) == (ANSWER, OUTCOME)
harness.answer(scratchpad, verify)"""
