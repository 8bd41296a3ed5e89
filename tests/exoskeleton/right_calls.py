"""The calls of tools by which a model solves two tasks of the shop rightly, in two replies.

    reading_calls(task)    # read /proc/catalog/A.json as "read_0", exec /bin/date as "date"
    completing_call(task)  # report_completion with the right message, outcome and records

Each call is an item of OpenAI's Responses API: `{"type": "function_call", "call_id": "read_0", ...}`.
"""

from controlplane.benchmarks.ecom.tasks.generated_tasks import generate_task
from controlplane.benchmarks.ecom.tasks.truth import Task
from controlplane.benchmarks.ecom.trial_ids import TrialId
from controlplane.benchmarks.ecom.world.rendered_world import workspace_of
from controlplane.benchmarks.ecom.world.settings import PLAYED
from tests.exoskeleton.response_items import function_call

TASK_IDS = ("record-field.1", "sku-lookup.1")

DATE_CALL_ID = "date"
"""The call of each first reply that asks for the date."""


def task_of_run(task_id: str) -> Task:
    """Return the task that a run generates if it has no options: its seed is 0."""
    trial_id = TrialId(task_id, repeat=0, seed=0, profile="", token="")
    return generate_task(task_id, trial_id.world_seed, PLAYED)


TASKS = [task_of_run(task_id) for task_id in TASK_IDS]
LAST_TASK = TASKS[-1]


def reading_calls(task: Task) -> list[dict[str, object]]:
    """Return the calls of the first reply: they read what is to be cited, and tell the date."""
    calls: list[dict[str, object]] = []
    for number, path in enumerate(paths_to_cite(task)):
        calls.append(function_call(f"read_{number}", "read", path=path))
    calls.append(function_call(DATE_CALL_ID, "exec", path="/bin/date"))
    return calls


def completing_call(task: Task) -> dict[str, object]:
    """Return the call of the second reply, which ends the trial with the right answer.

    Each citation has the beginning of the cited file as its reason.
    """
    files = workspace_of(task.world).files
    records: list[dict[str, str]] = []
    for path in paths_to_cite(task):
        reason = " ".join(files[path].split())[:160]
        records.append({"path": path, "reason": reason})
    return function_call(
        "end",
        "report_completion",
        message=task.truth.message,
        outcome=task.truth.outcome,
        records=records,
    )


def paths_to_cite(task: Task) -> list[str]:
    """Return the paths that the right answer cites."""
    return [*task.truth.must_cite, *task.truth.must_cite_pages]
