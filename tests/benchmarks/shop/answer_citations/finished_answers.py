"""What an answer cites after the check `order_references` has corrected the model's draft.

finished_references(shop, draft(documents=["/docs/none.md"]), "Refund return-4.")
# [{"path": "/proc/returns/return-4.json", "reason": "the return return-4"}]

The check leaves out paths that no file has, adds the records that the request names, and gives
reasons.
"""

import json
from collections.abc import Sequence
from typing import Any

from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.gates.submission import OK
from tests.support.function_results import function_result


def draft(**fields: Any) -> dict[str, Any]:
    """Return the draft of an answer that cites nothing, except for these fields.

    `documents` and `records` are what it cites: `draft(records=["/proc/carts/basket-4.json"])`.
    """
    empty_draft = {
        "outcome": OK,
        "message": "done",
        "task_type": "other",
        "protected": False,
        "documents": [],
        "records": [],
    }
    return empty_draft | fields


def finished_references(
    shop: EcomEnvironment,
    answer: dict[str, Any],
    request: str,
    *,
    opened: Sequence[str] = (),
) -> list[dict[str, str]]:
    """Return what the corrected answer cites, and why. The trial has `opened` these pages.

    The *findings* of a trial are the results of the shop's functions, and the pages that it opened.
    With `in_order`, the check completes and sorts the citations, too.
    """
    result = function_result(
        shop,
        "order_references",
        request=request,
        answer=answer,
        findings=json.dumps([{"opened": list(opened)}]),
        in_order=True,
    )
    references: list[dict[str, str]] = result["refs"]
    return references
