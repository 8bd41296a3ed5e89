"""Trials of the embedded shop in which a call is checked before it is sent, and the check is timed.

Before a script's call that checks out a basket, the check reads the basket's record and the rules. It
runs in the sandbox, which asks the *host* for these reads. What the check itself costs is the whole
cost without that of the reads, which `TimedHost` adds up.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime

from controlplane.agent.evidence import new_recorder
from controlplane.agent.evidence.tape import Tape
from controlplane.agent.loop import TrialContext, TrialSession
from controlplane.agent.loop.initial_prompt.initial_prompt import build_initial_prompt
from controlplane.agent.loop.script.script_host import ScriptHost
from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.benchmarks.ecom.tasks.truth import Task
from controlplane.benchmarks.ecom.world.rendered_world import workspace_of
from controlplane.sandbox import Sandbox
from controlplane.sandbox.functions import Call, Outcome
from controlplane.sandbox.interface import CallError
from tests.bench.timing.check_clocks import Cost, clocks, clocks_with_child
from tests.benchmarks.ecom.solutions.reference_scripts import RecordingEnvironment
from tests.benchmarks.ecom.solutions.reference_solutions import reference_answer

TRIAL = TrialContext("t", "task.0", "Do the task.", datetime(2031, 5, 4, tzinfo=UTC))


class TimedHost(ScriptHost):
    """The host makes the calls that sandboxed code asks for. This one adds up what they cost.

    The pre-call check runs in the sandbox and asks for reads of records.
    """

    reads_cost = Cost(0.0, 0.0)

    def call_all(self, calls: Sequence[Call]) -> list[Outcome]:
        started = clocks()
        try:
            return super().call_all(calls)
        finally:
            self.reads_cost = self.reads_cost.plus(clocks().minus(started))


def first_change(task: Task) -> Call:
    """Return the first call of the task's right solution that changes something."""
    environment = RecordingEnvironment(workspace_of(task.world))
    reference_answer(environment, task.truth)
    for call in environment.calls:
        if environment.tool_schema.may_change(*call):
            return call
    raise LookupError("the solution changes nothing")


class CheckedTrial:
    """A trial of a task, in a world where nothing was changed yet. Its checks are timed."""

    def __init__(self, task: Task) -> None:
        self.task = task
        environment = EcomEnvironment(workspace_of(task.world))
        self.recorder = new_recorder("t", environment, lambda event: None, tape=Tape())
        self.session = TrialSession(TRIAL, self.recorder)
        self.recorder.pre_call_check.is_on = True
        self.host = TimedHost(self.session)

    def enter(self, sandbox: Sandbox) -> None:
        """Bring the trial to the step in which its model makes its first call.

        A run does this when it opens a trial. Here many trials share one sandbox, one after the
        other, so that only the first check starts the child process in which code runs.
        """
        sandbox.host = self.host  # Code in the sandbox makes its calls in this trial,
        functions = self.recorder.calls.functions
        functions.runner = sandbox  # and the trial's checks run in the sandbox.

        # Step 0 reads the files of the initial prompt, from which the checks learn the rules.
        self.recorder.step_log.begin(0)
        trial = replace(TRIAL, instruction=self.task.instruction, now=None)
        build_initial_prompt(trial, self.recorder)
        self.recorder.step_log.begin(1)

    def cost_of_check(self, call: Call, sandbox: Sandbox) -> Cost:
        """Check a call before it is sent. Return the cost without the reads that the check makes."""
        operation, arguments = call
        self.host.reads_cost = Cost(0.0, 0.0)
        started = clocks_with_child(sandbox)

        # The check raises an error if it objects to the call. Either way it has its cost.
        with suppress(CallError):
            self.recorder.checks.check_change(operation, arguments)

        ended = clocks_with_child(sandbox)
        return ended.minus(started).minus(self.host.reads_cost)
