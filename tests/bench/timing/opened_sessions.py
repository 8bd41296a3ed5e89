"""Trials of the shop at their first step: a script may now make its first call.

`opened_session(task).recorder.step_log` has begun step 1. Step 0 has built the initial prompt, for
which the rules were read.
"""

from datetime import UTC, datetime

from controlplane.agent.evidence import new_recorder
from controlplane.agent.evidence.tape import Tape
from controlplane.agent.loop import TrialContext, TrialSession
from controlplane.agent.loop.cited_loop import build_initial_prompt
from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.benchmarks.ecom.tasks.truth import Task
from controlplane.benchmarks.ecom.world.rendered_world import workspace_of

NOW = datetime(2031, 5, 4, tzinfo=UTC)
"""What time it is for scripts."""


def opened_session(task: Task) -> TrialSession:
    """Return the session of a new trial of a task, whose events are not recorded anywhere."""
    environment = EcomEnvironment(workspace_of(task.world))
    recorder = new_recorder("t", environment, lambda event: None, tape=Tape())
    trial = TrialContext(
        trial_id="t", task_id="task.0", instruction=task.instruction, now=NOW
    )
    session = TrialSession(trial, recorder)
    recorder.step_log.begin(0)
    build_initial_prompt(trial, recorder)
    recorder.step_log.begin(1)
    return session
