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
from dataclasses import dataclass
from typing import Any, Final

from controlplane.agent.events import StepDone

# Citations as careless models write them: a record too many, or a path without its folders.
#
#     misspelt("/proc/carts/cust-7/b-1.json#row=2")  # "/proc/carts/b-1#row=2"
#     firstfirst_uncited_record(cited, ["/docs/a.md", "/proc/carts/b-4.json"])
#     # [{"path": "/proc/carts/b-4.json", "reason": "it was looked at: /proc/carts/b-4.json"}]
#
# The solver should mend both before it sends the answer.


def first_uncited_record(
    cited_records: Sequence[dict[str, Any]], seen_paths: Sequence[str]
) -> list[dict[str, Any]]:
    """Return the first record that was seen and is not cited, as a list of one, or an empty list.

    Records are the files below `/proc/`; other files are documents, which are cited apart.
    """
    cited_paths = {record["path"] for record in cited_records}
    for path in seen_paths:
        if path.startswith("/proc/") and path not in cited_paths:
            return [{"path": path, "reason": f"it was looked at: {path}"}]
    return []


def misspelt(path: str) -> str:
    """Return a record's path as a careless model writes it, without inner folders and extension.

    `/proc/carts/cust-7/b-1.json#row=2` -> `/proc/carts/b-1#row=2`
    """
    file_path, mark, fragment = path.partition("#")
    parts = file_path.split("/")
    if len(parts) > 3:
        parts = [*parts[:3], parts[-1]]
    short_path = "/".join(parts).removesuffix(".json")
    return f"{short_path}{mark}{fragment}"


# How a trial in the shop ended: its score, and whether a check answered before the main model.
#
#     PlayedTrial(family="staff-contact", truth="OUTCOME_DENIED_SECURITY", closed_by="refuse_request",
#                 score=1.0, steps=1, ...)
#
# Here a guest asked for an employee's e-mail address, and the check `refuse_request` answered. The checks
# before the model are the first step of a trial. Only if none has answered, the model answers in the
# steps that follow. The state of a step that a check has answered is "answered by refuse_request".


@dataclass
class PlayedTrial:
    """How a trial of a family's task ended."""

    family: str
    instruction: str
    truth: str
    """The outcome that is right."""
    closed_by: str
    """The check before the model that answered the request; empty if the model had to."""
    score: float
    details: tuple[str, ...]
    """The grader's remarks."""
    sent_back: str
    """Why answers were not accepted; empty if the check before the model answered."""
    has_change_without_answer: bool
    """True if the shop was changed, although the trial ended without an answer."""
    steps: int
    requests: Sequence[str] = ()
    """The requests to the main model, as text."""


def why_sent_back(steps: Sequence[StepDone]) -> str:
    """Return the remarks of the gates on the model's answers; "" if a check answered before it."""
    if steps and _is_accepted(steps[0]):
        return ""
    messages: list[str] = []
    for step in steps:
        messages += [verdict.message[:200] for verdict in step.verdicts]
    return "; ".join(messages)


def closing_check(steps: Sequence[StepDone]) -> str:
    """Return the check that answered in the first step, or "" if its answer was not accepted."""
    if not steps or not _is_accepted(steps[0]):
        return ""
    return steps[0].state.removeprefix("answered by ")


def _is_accepted(step: StepDone) -> bool:
    """Return True if an answer of this step was accepted."""
    return any(verdict.accepted for verdict in step.verdicts)


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
