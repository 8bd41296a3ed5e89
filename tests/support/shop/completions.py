"""The call that ends a trial: an answer that follows from the results of functions.

A result such as `{"value": 4, "refs": [{"path": "/proc/a/b.json"}]}` leads to the call
`report_completion` with the message "4" and this record as its citation.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from controlplane.agent.model import Message, ToolCall
from tests.support.shop.answers_of_results import answer_of
from tests.support.shop.model_faults import with_fault
from tests.support.shop.model_messages import paths_in

TASK_TYPES = {
    "archive-fraud": "fraud",
    "stock-count": "stock_count",
    "stock-answer": "stock_lookup",
    "receipt-reprice": "receipt_price",
}
"""The type of task that a completion names, by family; "other" for all other families."""


def completion(
    family: str,
    results: Sequence[Mapping[str, Any]],
    messages: Sequence[Message],
    fault: str,
) -> ToolCall:
    """Return the call that ends a trial with what the functions returned, or with this fault.

    `messages` are those of the trial so far: a fault may cite a file that they name.
    """
    message, outcome = answer_of(results)
    cited_records: list[Any] = []
    for result in results:
        cited_records += result.get("refs", ())
    arguments = {
        "message": message,
        "outcome": outcome,
        "task_type": TASK_TYPES.get(family, "other"),
        "records": cited_records,
    }
    arguments = with_fault(arguments, fault, seen_paths=paths_in(messages))
    return ToolCall(name="report_completion", arguments=json.dumps(arguments), id="end")
