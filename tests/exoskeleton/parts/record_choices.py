"""Records that a request means, such as baskets or payments: compared with another solver.

A case is what another solver for the shop was recorded to do. `@answers_part` marks the function
that answers the cases of one part: it takes `input` by its keys, and should return `expect`.
`world` has the files of the shop and who asks.

    {"part": "named_records",
     "input": {"text": "Refund pay7.",
               "world": {"identity": {"user": "emp_1", "roles": ["employee"]},
                         "files": {"/proc/payments/pay_007.json": {"id": "pay_007"}}}},
     "expect": {"records": ["/proc/payments/pay_007.json"]}}
"""

from collections.abc import Mapping, Sequence
from typing import Any

from controlplane.benchmarks.shop.workspace.records.path_repair import repaired_paths
from controlplane.benchmarks.shop.workspace.records.record_searches import (
    choose_record,
    linked_paths,
    named_records,
    open_records,
)
from tests.exoskeleton.answering_functions import Output, answers_part
from tests.exoskeleton.parts.worlds import World, asker, workspace_records


@answers_part("basket_choice")
def choose_basket(world: World, flags: Mapping[str, Any]) -> Output:
    """Tell which of the asker's open baskets a request to buy one means.

    {"checkout": True, "selector": "newest"}   "selected": the newest one
    {"checkout": True}                         "ask" if there are several, otherwise "none"
    """
    selector = flags.get("selector", "")
    if not flags.get("checkout") or flags.get("basket_id"):
        return {"kind": "none"}
    own_records = open_records(
        workspace_records(world), asker(world), {"active", "open"}
    )
    own_baskets = [record for record in own_records if record.id.startswith("basket")]

    candidates = choose_record(own_baskets, selector)

    if len(candidates) > 1:
        kind = "ask"
    elif candidates and selector:
        kind = "selected"
    else:
        kind = "none"
        candidates = []
    return {
        "kind": kind,
        "ids": [record.id for record in candidates],
        "records": [record.path for record in candidates],
    }


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
