"""The call that ends a trial: an answer that follows from the results of functions.

A result such as `{"value": 4, "refs": [{"path": "/proc/a/b.json"}]}` leads to the call
`report_completion` with the message "4" and this record as its citation.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from controlplane.agent.model import Message, ToolCall
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


def answer_of(results: Sequence[Mapping[str, Any]]) -> tuple[str, str]:
    """Return the message and the outcome that follow from the last function's result, by its value.

    - 3 -> "3"
    - `[{"sku": "LMP-1", ...}]` -> "LMP-1"; with a second item, the asker is asked which is meant
    - `{"answer": "yes", ...}` -> "yes"; `{"total": 4, ...}` -> "4"; otherwise all of it, as JSON

    Without a result the request is unsupported.
    """
    if not results:
        return "That is not possible here.", "OUTCOME_NONE_UNSUPPORTED"
    value = results[-1]["value"]
    if isinstance(value, list):
        names = [name_of(item) for item in value]
        if len(names) == 1:
            return names[0], "OUTCOME_OK"
        question = f"Which one do you mean: {' or '.join(names)}?"
        return question, "OUTCOME_NONE_CLARIFICATION"
    if isinstance(value, dict):
        for key in ("answer", "total"):
            if key in value:
                return str(value[key]), "OUTCOME_OK"
        return json.dumps(value), "OUTCOME_OK"
    return str(value), "OUTCOME_OK"


def name_of(item: Any) -> str:
    """Return the code, id or name of a record; for anything but a record, its text."""
    if not isinstance(item, dict):
        return str(item)
    for key in ("sku", "id", "name"):
        if key in item:
            return str(item[key])
    return ""
