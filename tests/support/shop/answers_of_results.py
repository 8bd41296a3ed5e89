"""Answers that follow from the results of functions.

`answer_of([{"value": 4, "refs": []}])` is `("4", "OUTCOME_OK")`.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any


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
