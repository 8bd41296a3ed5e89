"""Scripts that solve the shop's tasks, as a model would write them, with the right answer to each.

A task is solved once by its reference solution, which knows the right answer. The calls that were
made, and the answer, become a script:

    harness.read(path='/docs/stock.md')
    scratchpad["answer"] = '4'
    ...
    harness.answer(scratchpad, verify)
"""

import json
from collections.abc import Mapping, Sequence

from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.benchmarks.ecom.tasks.truth import WorldTask
from controlplane.benchmarks.ecom.workspace import Workspace
from controlplane.benchmarks.ecom.world.world import workspace_of
from controlplane.sandbox.interface import Plain
from tests.benchmarks.ecom.solutions.careless_solutions import Answer, reference_answer

# The script of a model that makes given calls in the shop, and submits a given answer.
#
#     script_of([("read", {"path": "/docs/stock.md"})], Answer("4", OK, {"/docs/stock.md": "Rules: ..."}))
#
# returns a text that a trial can run:
#
#     harness.read(path='/docs/stock.md')
#     scratchpad["answer"] = '4'
#     ...
#     harness.answer(scratchpad, verify)


def script_of(calls: Sequence[tuple[str, dict[str, Plain]]], answer: Answer) -> str:
    """Return a script that makes these calls and submits this answer."""
    lines = []
    for operation, arguments in calls:
        keywords = ", ".join(f"{name}={value!r}" for name, value in arguments.items())
        lines.append(f"harness.{operation}({keywords})")

    lines.append(f'scratchpad["answer"] = {answer.message!r}')
    lines.append(f'scratchpad["outcome"] = {answer.outcome!r}')
    # `cite` fills the key `refs_why`. A script that cites nothing has to say so.
    for path, reason in answer.citations.items():
        lines.append(f"scratchpad.cite({path!r}, {reason!r})")
    if not answer.citations:
        lines.append("scratchpad['refs_why'] = {}")

    # The script may declare texts of its message (tokens), and the changes that it has made. Both
    # are then checked.
    if answer.tokens:
        lines.append(f"scratchpad['tokens'] = {list(answer.tokens)!r}")
    if answer.changes:
        changes = [{"path": path, "action": action} for path, action in answer.changes]
        lines.append(f"scratchpad['changes'] = {changes!r}")

    # Each script must check its own answer: `harness.answer` submits it only if `verify` is true.
    checks = [
        f'sp["outcome"] == {answer.outcome!r}',
        f'sp["answer"] == {answer.message!r}',
        f'len(sp["refs_why"]) == {len(answer.citations)}',
    ]
    lines += [
        "",
        "def verify(sp):",
        f"    return {' and '.join(checks)}",
        "",
        "harness.answer(scratchpad, verify)",
        "",
    ]
    return "\n".join(lines)


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


def reference_script(task: WorldTask) -> str:
    """Return a script that solves a task: it repeats the calls of the reference solution."""
    shop = RecordingEnvironment(workspace_of(task.world))
    answer = reference_answer(shop, task.truth)
    return script_of(shop.calls, answer)


def scripted_replies(tasks: Mapping[str, WorldTask]) -> str:
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
