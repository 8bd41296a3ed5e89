"""Records that a request names, such as payments, and those that these lead to.

Each function below answers the recorded cases of one part: a test calls it with a case's `input`, and
compares what it returns with `expect`. `world` has the files of the shop and who asks.

    {"part": "named_records",
     "input": {"text": "Refund pay7.",
               "world": {"identity": {"user": "emp_1", "roles": ["employee"]},
                         "files": {"/proc/payments/pay_007.json": {"id": "pay_007"}}}},
     "expect": {"records": ["/proc/payments/pay_007.json"]}}
"""

from collections.abc import Sequence

from controlplane.benchmarks.shop.answers import repaired_paths
from controlplane.benchmarks.shop.workspace.records import linked_paths, named_records
from tests.exoskeleton.answering_functions import Output, answers_part
from tests.exoskeleton.parts.worlds import World, asker, workspace_records


@answers_part("named_records")
def find_named_records(world: World, text: str) -> Output:
    """Tell which records a text names: `pay7 and basket 57` names two."""
    return {"records": named_records(workspace_records(world), asker(world), text)}


@answers_part("path_repair")
def repair_paths(world: World, paths: Sequence[str]) -> Output:
    """Correct misspelt paths: `/docs/Security.md` becomes `/docs/security.md`, which exists."""
    return {"paths": repaired_paths(workspace_records(world).files, paths)}


@answers_part("linked_payment")
def find_linked_payments(world: World, records: Sequence[str]) -> Output:
    """Find the payments that records such as returns belong to, by their `payment_id`."""
    paths = linked_paths(workspace_records(world), records, key="payment_id")
    return {"records": paths}
