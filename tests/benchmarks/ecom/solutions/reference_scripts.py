"""Scripts that solve the shop's tasks, as a model would write them, with the right answer to each.

A task is solved once by its reference solution, which knows the right answer. The calls that were
made, and the answer, become a script:

    harness.read(path='/docs/stock.md')
    scratchpad["answer"] = '4'
    ...
    harness.answer(scratchpad, verify)
"""

import json
from collections.abc import Mapping

from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.benchmarks.ecom.tasks.truth import Task
from controlplane.benchmarks.ecom.workspace import Workspace
from controlplane.benchmarks.ecom.world.rendered_world import workspace_of
from controlplane.sandbox.interface import Plain
from tests.benchmarks.ecom.solutions.answer_scripts import script_of
from tests.benchmarks.ecom.solutions.reference_solutions import reference_answer


class RecordingEnvironment(EcomEnvironment):
    """The shop, which remembers the calls made through it, so that a script can repeat them."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self.calls: list[tuple[str, dict[str, Plain]]] = []
        """The operation and the arguments of each: `("read", {"path": "/docs/stock.md"})`."""

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        """Make the call and remember it."""
        self.calls.append((operation, dict(arguments)))
        return super().call(operation, arguments)


def reference_script(task: Task) -> str:
    """Return a script that solves a task: it repeats the calls of the reference solution."""
    shop = RecordingEnvironment(workspace_of(task.world))
    answer = reference_answer(shop, task.truth)
    return script_of(shop.calls, answer)


def scripted_replies(tasks: Mapping[str, Task]) -> str:
    """Return the file of replies with which the model `scripted:FILE` solves tasks, by their ids.

    [[reply]]
    task = "basket-checkout.1"
    code = "harness.exec(...) ..."
    """
    replies = []
    for task_id, task in tasks.items():
        # A JSON string is also a TOML string.
        reply = (
            "[[reply]]\n"
            f"task = {json.dumps(task_id)}\n"
            f"code = {json.dumps(reference_script(task))}\n"
        )
        replies.append(reply)
        # A call with values that only an uploaded text has is stopped once, and the model is told
        # to repeat it if the user asked for it. So each script may come a second time.
        replies.append(reply)
    return "\n".join(replies)
