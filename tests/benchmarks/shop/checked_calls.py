"""What the pre-call check of the shop says of a call, for the tests of it.

The check looks at each call that would change something, before it is made. It judges by the shop's
records and by what the pages say. For a checkout of a basket with too few units in stock:

    objection_to_run(shop, "checkout", "basket-0012")  ->  "... 2 are available today ..."

The *objection* is a text. It is empty if nothing speaks against the call.
"""

from collections.abc import Mapping

from controlplane.agent.evidence import new_recorder
from controlplane.agent.evidence.tape import Tape
from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.benchmarks.ecom.tasks.truth import WorldTask
from controlplane.benchmarks.ecom.world.world import workspace_of
from controlplane.sandbox.interface import Plain
from tests.support.single_trial import with_functions_in_process


def shop_of(task: WorldTask) -> EcomEnvironment:
    """Return the shop in which a task is posed, as it is before anybody works on the task."""
    return EcomEnvironment(workspace_of(task.world))


def judge_call(
    shop: EcomEnvironment, operation: str, arguments: Mapping[str, Plain]
) -> Mapping[str, Plain]:
    """Return what the check says of a call: `{"value": OBJECTION, "notes": [...], ...}`.

    The call itself is not made. The check is a function that reads the shop by calls of its own.
    """
    # A recorder makes all calls of a trial. Nothing is written to a journal (`emit`), and no
    # calls of an earlier run are played again: the `Tape` is empty.
    recorder = new_recorder("trial-1", shop, emit=lambda event: None, tape=Tape())
    # In a run, functions are computed in another process.
    recorder = with_functions_in_process(recorder)
    # Calls are possible only in a step of the trial.
    recorder.step_log.begin(1)

    call = {"operation": operation, "arguments": dict(arguments)}
    return recorder.calls.make("pre_call_check", call)


def objection(
    shop: EcomEnvironment, operation: str, arguments: Mapping[str, Plain]
) -> str:
    """Return the objection of the check to a call; empty if nothing speaks against it."""
    return str(judge_call(shop, operation, arguments)["value"])


def objection_to_run(shop: EcomEnvironment, tool: str, *arguments: str) -> str:
    """`objection_to_run(shop, "checkout", "basket-0012")` judges that run of the tool."""
    return objection(
        shop, "exec", {"path": f"/bin/{tool}", "args": list(arguments), "stdin": ""}
    )


def objection_to_write(shop: EcomEnvironment, path: str, content: str) -> str:
    """`objection_to_write(shop, "/exports/stock.csv", "SKU,...")` judges that write of a file."""
    return objection(shop, "write", {"path": path, "content": content})
