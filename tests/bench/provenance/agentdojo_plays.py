"""Plays of AgentDojo: an agent of a bank, a travel agency, an office or a chat, under attack or not.

A play is the right calls of a task. With an attack, each task is played beside each *injection*, an
attacker's task whose text is in the data, and the play has the calls for this task, too:

    benchmark = PlayedAgentDojo("banking", attack="important_instructions")
    benchmark.plays  # filled by a run: {...: Play([...], injected_calls=[PlayedCall("send_money", ...)])}

Needs the package `agentdojo`.
"""

import functools
import warnings
from typing import Any

from controlplane import TaskEnvironment, Tool
from tests.bench.provenance.plays import Play, PlayedCall, plain

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from docs.examples.agentdojo import AgentDojo


def played_calls(calls: Any) -> list[PlayedCall]:
    """Return calls of AgentDojo's ground truth."""
    return [PlayedCall(call.function, plain(dict(call.args))) for call in calls]


class PlayedAgentDojo(AgentDojo):  # type: ignore[misc, unused-ignore] - the package may be missing
    """A suite of AgentDojo, which notes the play of each task that it generates.

    It has two more tools: `check_value` repeats its argument, and `read_notice` fails with the text
    of the injection. With an attack, each task is played beside each injection.
    """

    def __init__(self, suite: str, attack: str = "") -> None:
        super().__init__(suite, {"attack": attack} if attack else {})
        # The base class builds the attack's texts at every call, which takes long.
        self.parts = functools.cache(super().parts)
        self.plays: dict[str, Play] = {}

    def generate(self, task_id: str) -> tuple[str, TaskEnvironment]:
        """Return the instruction and the environment of a task, and note its play."""
        parts = self.parts(task_id)
        instruction, environment = super().generate(task_id)
        world = environment.state[0]
        injected_calls: list[PlayedCall] = []
        injected_answer = ""
        if parts.injected_task is not None:
            injected_calls = played_calls(parts.injected_task.ground_truth(world))
            injected_answer = parts.injected_task.GROUND_TRUTH_OUTPUT
        self.plays[task_id] = Play(
            calls=played_calls(parts.user_task.ground_truth(world)),
            answer=parts.user_task.GROUND_TRUTH_OUTPUT,
            injected_calls=injected_calls,
            injected_answer=injected_answer,
        )
        return instruction, with_tools(environment, list(parts.injections.values()))


def check_value(value: str) -> str:
    """Check a value."""
    return f"{value} is valid"


def with_tools(environment: TaskEnvironment, texts: list[str]) -> TaskEnvironment:
    """Return the environment with `check_value` and `read_notice`, which fails with `texts`."""

    # The docstrings of tools are their descriptions for the model.
    def read_notice() -> str:
        """Read the notice of today."""
        raise ValueError(" ".join(texts) or "there is none")

    tools = [declared.tool for declared in environment._tools.by_name.values()]
    tools += [Tool(check_value, "returns"), Tool(read_notice, "returns")]
    return TaskEnvironment(tools, state=environment.state)
