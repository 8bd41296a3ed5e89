"""The first call of a task's right solution that changes something, such as a checkout."""

from controlplane.benchmarks.ecom.tasks.truth import Task
from controlplane.benchmarks.ecom.world.rendered_world import workspace_of
from controlplane.sandbox.functions import Call
from tests.benchmarks.ecom.solutions.reference_scripts import RecordingEnvironment
from tests.benchmarks.ecom.solutions.reference_solutions import reference_answer


def first_change(task: Task) -> Call:
    """Return the first call of the task's right solution that changes something.

    `("exec", {"path": "/bin/checkout", "args": ["basket-12"], ...})`
    """
    environment = RecordingEnvironment(workspace_of(task.world))
    reference_answer(environment, task.truth)
    for call in environment.calls:
        if environment.tool_schema.may_change(*call):
            return call
    raise LookupError("the solution changes nothing")
