"""Changes in an invented shop, drawn at random."""

from __future__ import annotations

import json
import random

from tests.benchmarks.shop import invented_shop as shop
from tests.benchmarks.shop.trial_traces import Trace
from tests.gates.judging.revealing.secret_records import RECORDS


def make_random_change(trace: Trace, rng: random.Random) -> None:
    """Let the trial change a basket that it has read, check one out, close a refund or export.

    To check out is, for example, the call `/bin/checkout basket_0001`.
    """
    change = rng.choice(("write", "checkout", "refund", "export"))
    if change == "write" and shop.BASKET not in trace.evidence.accesses:
        change = "export"  # The trial has not read the basket, so it cannot change it.

    if change == "write":
        sku = rng.choice(("VH-LMP-ONE", "VH-LMP-TWO"))
        changed_basket = dict(RECORDS[shop.BASKET])
        changed_basket["lines"] = [{"sku": sku, "quantity": 1}]
        trace.write(shop.BASKET, json.dumps(changed_basket))
    elif change == "checkout":
        trace.run("/bin/checkout", rng.choice(("basket_0001", "basket_0002")))
    elif change == "refund":
        trace.run("/bin/refund", "close", "rma_0001")
    else:
        trace.write("/exports/a.csv", "VH-LMP-ONE,1\n")
