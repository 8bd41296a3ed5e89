"""Answers to recorded cases about the records that a request means: baskets, payments, documents.

    named_records   "Refund pay7 and basket 57" -> /proc/payments/pay_007.json and
                                                   /proc/baskets/basket_057.json

`world` has the files of the shop and who asks, see `worlds.py`.

A case is a recorded input of another solver with its output. `@answers_part` marks the function that
answers the cases of one part: it gets the input by its keys, and returns this project's output.
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
from tests.exoskeleton.parts.worlds import World, asker, workspace_records
from tests.exoskeleton.recorded_cases import Output, answers_part


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
