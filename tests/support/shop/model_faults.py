"""Mistakes that a model makes on purpose, so that a test sees which part of the solver mends them.

A *completion* is the last call of a trial, with the answer and the records that it cites. A fault
spoils a right completion in one way, as careless models do:

    right = {"message": "2", "outcome": "OUTCOME_OK", "records": [{"path": "/proc/a/b.json"}]}
    with_fault(right, "forgotten", seen_paths=[])["records"] -> []
"""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from tests.support.shop.careless_citations import first_uncited_record, misspelt

FAULTS: Final = ("too_much", "spelling", "forgotten", "wording")
"""A completion cites a record too many, misspells paths, forgets to cite a record, or has
needless words in its message."""

_NEEDLESS_PREAMBLE: Final = "I have looked that up. The answer is: "
"""What a message with the fault "wording" begins with."""

_MESSAGE_TO_FORMAT: Final = re.compile(r"<message>\n(.*?)\n</message>", re.DOTALL)
"""Finds the message in a request to the formatter."""


def fault_of(instruction: str) -> str:
    """Return the fault that the model makes in the trial with this instruction.

    The same instruction always gives the same fault. The faults are spread by its hash, so that
    each of the four falls to about a quarter of the trials.
    """
    digest = hashlib.sha256(instruction.strip().encode()).digest()
    return FAULTS[digest[0] % len(FAULTS)]


def with_fault(
    completion: Mapping[str, Any], fault: str, *, seen_paths: Sequence[str]
) -> dict[str, Any]:
    """Return the arguments of a right completion, spoilt by one of `FAULTS`; "" spoils nothing.

    `seen_paths` are the paths that the model has read about: the fault "too_much" cites one.
    """
    records = list(completion["records"])
    message = completion["message"]
    match fault:
        case "too_much":
            records += first_uncited_record(records, seen_paths)
        case "spelling":
            records = [
                {**record, "path": misspelt(record["path"])} for record in records
            ]
        case "forgotten":
            records = records[1:]
        case "wording" if completion["outcome"] == "OUTCOME_OK":
            message = _NEEDLESS_PREAMBLE + message
    return {**completion, "records": records, "message": message}


def formatter_reply(request: str) -> str:
    """Return the reply of a formatter, a model that puts the message of an answer in form.

    It removes the preamble of the fault "wording". The request has the message between
    `<message>` and `</message>`; the reply is JSON: `{"message": "2"}`.
    """
    message = _MESSAGE_TO_FORMAT.findall(request)[-1]
    return json.dumps({"message": message.removeprefix(_NEEDLESS_PREAMBLE)})
