"""What a model's answer cites after the shop's solver has checked and completed its draft.

finished_references(shop, draft(documents=["/docs/none.md"]), "Refund return-4.")
# [{"path": "/proc/returns/return-4.json", "reason": "the return return-4"}]
"""

import json
from collections.abc import Sequence
from typing import Any

from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.gates.submission import OK
from tests.support.function_results import function_result


def draft(**fields: Any) -> dict[str, Any]:
    """Return the draft of a model's answer. Unless the fields say so, it cites nothing."""
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
    """Return what the finished answer cites, and why. The trial has `opened` these pages."""
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
