"""The session in which a solver works on a task of the embedded shop, and who asks there.

    session = open_session("stock-count", task, "t1", environment, events)
    Exoskeleton(model, ...).solve(session)

What happens in the trial `t1` is added to `events`.
"""

from typing import Any

from controlplane.agent.evidence import new_recorder
from controlplane.agent.evidence.tape import Tape
from controlplane.agent.judging import GateSettings
from controlplane.agent.loop import (
    TrialContext,
    TrialSession,
)
from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.benchmarks.ecom.tasks.truth import Task
from tests.support.functions_here import with_functions_in_process


def open_session(
    family: str, task: Task, key: str, environment: EcomEnvironment, events: list[Any]
) -> TrialSession:
    """Return the session in which a solver works on the task; its events are added to `events`."""
    recorder = new_recorder(key, environment, events.append, tape=Tape())
    now = environment.now()
    assert now
    context = TrialContext(
        trial_id=key, task_id=family, instruction=task.instruction, now=now
    )
    return TrialSession(
        context,
        with_functions_in_process(recorder),
        GateSettings(rule_sets=("ecom",)),
    )


def asker_is_staff(environment: EcomEnvironment) -> bool:
    """Return True if the user for whom the agent works is an employee of the shop."""
    arguments = {"path": "/bin/id", "args": [], "stdin": ""}
    identity = str(environment.call("exec", arguments)["stdout"])
    return "customer" not in identity and "guest" not in identity
