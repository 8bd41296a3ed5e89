"""Scripts that solve the shop's tasks, as a model would write them, with the right answer to each.

A task is solved once by its reference solution, which knows the right answer. The calls that were
made, and the answer, become a script:

    harness.read(path='/docs/stock.md')
    scratchpad["answer"] = '4'
    ...
    harness.answer(scratchpad, verify)
"""

import json
import re
from collections.abc import Iterable, Mapping

from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.benchmarks.ecom.workspace import Workspace
from controlplane.benchmarks.ecom.world.rendered_world import workspace_of
from controlplane.benchmarks.ecom.world.settings import PLAYED, WorldSettings
from controlplane.sandbox.interface import Plain
from tests.benchmarks.ecom.solutions.answer_scripts import script_of
from tests.benchmarks.ecom.solutions.reference_solutions import reference_answer
from tests.benchmarks.ecom.variants import task_of


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


def reference_script(
    trial_id: str, settings: WorldSettings = PLAYED
) -> tuple[str, str]:
    """Return the instruction of a trial, and a script that solves it.

    The task is solved once here, and the script repeats the calls that were made.
    """
    task = task_of(trial_id, settings)
    shop = RecordingEnvironment(workspace_of(task.world))
    answer = reference_answer(shop, task.truth)
    return task.instruction, script_of(shop.calls, answer)


def scripted_replies(trial_ids: Iterable[str], settings: WorldSettings = PLAYED) -> str:
    """Return the file of replies with which the model `scripted:FILE` solves these trials.

    `when` is the pattern in a conversation to which a reply answers:

        [[reply]]
        when = "<instruction>\\nBuy\\\\ basket ..."
        state = "basket-checkout.1-r0-s1-prod-00000000"
        code = "harness.exec(...) ..."
    """
    replies = []
    for trial_id in trial_ids:
        instruction, code = reference_script(trial_id, settings)
        pattern = re.escape(f"<instruction>\n{instruction}\n</instruction>")
        # A JSON string is also a TOML string.
        reply = (
            "[[reply]]\n"
            f"when = {json.dumps(pattern)}\n"
            f"state = {json.dumps(trial_id)}\n"
            f"code = {json.dumps(code)}\n"
        )
        replies.append(reply)
        # A call with values that only an uploaded text has is stopped once, and the model is told
        # to repeat it if the user asked for it. So each script may come a second time.
        replies.append(reply)
    return "\n".join(replies)
