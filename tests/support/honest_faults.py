"""Faults of a main model that found what is right: one for each trial, by its instruction."""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

FAULTS: Final = ("too_much", "spelling", "forgotten", "wording")
"""It cites one record too many, spells paths otherwise, forgets a record that was found, or does not keep to a form."""
_BEFORE: Final = "I have looked that up. The answer is: "
_MESSAGE: Final = re.compile(r"<message>\n(.*?)\n</message>", re.DOTALL)


def fault_of(instruction: str) -> str:
    """Return the fault of a trial: each falls to a quarter of them."""
    return FAULTS[hashlib.sha256(instruction.strip().encode()).digest()[0] % len(FAULTS)]


def with_fault(completion: Mapping[str, Any], fault: str, shown: Sequence[str]) -> dict[str, Any]:
    """Return the arguments of a completion with a fault; `shown` are paths of records that were shown."""
    spoiled = {**completion}
    records = list(completion["records"])
    if fault == "too_much":
        cited = {record["path"] for record in records}
        more = [each for each in shown if each.startswith("/proc/") and each not in cited]
        spoiled["records"] = [*records, *({"path": each, "reason": f"it was looked at: {each}"} for each in more[:1])]
    elif fault == "spelling":
        spoiled["records"] = [record | {"path": misspelt(record["path"])} for record in records]
    elif fault == "forgotten":
        spoiled["records"] = records[1:]
    elif fault == "wording" and completion["outcome"] == "OUTCOME_OK":
        spoiled["message"] = f"{_BEFORE}{completion['message']}"
    return spoiled


def misspelt(path: str) -> str:
    """Return a record's path without the folders between its kind and its file, and without an extension."""
    base, mark, fragment = path.partition("#")
    kept = base.split("/")
    short = "/".join([*kept[:3], kept[-1]] if len(kept) > 3 else kept)
    return f"{short.removesuffix('.json')}{mark}{fragment}"


def formatted(request: str) -> str:
    """Return the reply of a formatter that knows a message from what was put before it."""
    message = _MESSAGE.findall(request)[-1]
    return json.dumps({"message": message.removeprefix(_BEFORE)})
