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

from controlplane import TaskEnvironment
from tests.bench.provenance.attacked_tools import with_tools
from tests.bench.provenance.plays import Play, PlayedCall, plain

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # Its warnings are not about the plays.
    from docs.examples.agentdojo import AgentDojo


def played_calls(calls: Any) -> list[PlayedCall]:
    """Return calls of AgentDojo's ground truth."""
    return [PlayedCall(call.function, plain(dict(call.args))) for call in calls]


class PlayedAgentDojo(AgentDojo):  # type: ignore[misc, unused-ignore] - the package may be missing
    """A suite of AgentDojo, which notes the play of each task that it generates.

    With an attack, each task is played beside each injection.
    """

    def __init__(self, suite: str, attack: str = "") -> None:
        super().__init__(suite, {"attack": attack} if attack else {})
        # `parts(task_id)` finds the two tasks and builds the attack's texts, which takes long. The
        # base class calls it, too.
        self.parts = functools.cache(super().parts)
        self.plays: dict[str, Play] = {}

    def generate(self, task_id: str) -> tuple[str, TaskEnvironment]:
        """Return the instruction and the environment of a task, and note its play."""
        parts = self.parts(task_id)
        instruction, environment = super().generate(task_id)
        world, _ = environment.state  # the data before and after the trial
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
        injected_texts = list(parts.injections.values())
        return instruction, with_tools(environment, injected_texts)
