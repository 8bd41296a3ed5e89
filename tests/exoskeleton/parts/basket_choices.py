"""The basket that a request to buy one means, if the asker has several.

The function below answers recorded cases: a test calls it with a case's `input`, and compares what
it returns with `expect`. `world` has the files of the shop and who asks.

    {"part": "basket_choice",
     "input": {"flags": {"checkout": True, "selector": "newest"}, "world": {...}},
     "expect": {"kind": "selected", "ids": ["basket_4"], "records": ["/proc/baskets/basket_4.json"]}}
"""

from collections.abc import Mapping
from typing import Any

from controlplane.benchmarks.shop.workspace.records import choose_record, open_records
from tests.exoskeleton.answering_functions import Output, answers_part
from tests.exoskeleton.parts.worlds import World, asker, workspace_records


@answers_part("basket_choice")
def choose_basket(world: World, flags: Mapping[str, Any]) -> Output:
    """Tell which of the asker's open baskets a request to buy one means.

    The `flags` are what a classifier found in the request. The result is "none" where there is
    nothing to choose:

        {"checkout": False}                                  "none": the request buys no basket
        {"checkout": True, "basket_id": "basket_4"}          "none": it names its basket
        {"checkout": True, "selector": "newest"}             "selected": the newest one
        {"checkout": True}, several open baskets             "ask" which one
        {"checkout": True}, one open basket                  "none"
    """
    if not flags.get("checkout") or flags.get("basket_id"):
        return {"kind": "none"}
    selector = flags.get("selector", "")
    own_records = open_records(
        workspace_records(world), asker(world), {"active", "open"}
    )
    own_baskets = [record for record in own_records if record.id.startswith("basket")]

    candidates = choose_record(own_baskets, selector)

    if len(candidates) > 1:
        kind = "ask"
    elif candidates and selector:
        kind = "selected"
    else:  # One basket needs no choice.
        kind = "none"
        candidates = []
    return {
        "kind": kind,
        "ids": [record.id for record in candidates],
        "records": [record.path for record in candidates],
    }
