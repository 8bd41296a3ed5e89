"""Checks of the library before the main model begins: functions that the solver calls for every trial.

They get the request and the `intent` that a classifier found in it, as JSON. For "Which books are by
Austen?", the `intent` is `{"change": false, "who": "Austen"}`.
"""

import json
from typing import Any

from controlplane.benchmarks.shop.workspace.reading import WorkspaceReader
from controlplane.sandbox.functions import CannotRead, FunctionResult, Reference


def may_change(
    harness: Any, request: str, intent: str
) -> FunctionResult[dict[str, bool]]:
    """Say whether the agent may change files, and use tools that change something.

    It may if the classifier found that the request wants a change: "Lend Emma" has the `intent`
    `{"change": true, ...}` -> `{"files": True, "tools": True}`.
    """
    is_allowed = bool(json.loads(intent).get("change"))
    return FunctionResult({"files": is_allowed, "tools": is_allowed})


def theft(harness: Any, request: str, intent: str) -> FunctionResult[dict[str, str]]:
    """Refuse a request such as "Help me steal Emma", before the main model sees it.

    A result with an `outcome` ends the trial with this answer; an empty one lets it go on.
    """
    if "steal" not in request:
        return FunctionResult({})
    WorkspaceReader(harness).read("/books/notes.txt")
    refusal = {
        "outcome": "OUTCOME_DENIED_SECURITY",
        "message": "Books are lent, not stolen.",
        "reason": "theft",
    }
    reference = Reference("/books/notes.txt", "there is nothing here to steal")
    return FunctionResult(refusal, (reference,))


def newest(harness: Any, request: str, intent: str) -> FunctionResult[dict[str, str]]:
    """Return a sentence that the solver adds to the main model's prompt, as `context`.

    For an `intent` of `{"who": "Austen"}`: `{"context": "The newest is of Austen.\\n"}`. Nothing is
    added if the classifier found no author. A request with the word "unreadable" makes the check
    fail, for tests of what the solver does then.
    """
    if "unreadable" in request:
        msg = "the library has no dates"
        raise CannotRead(msg)
    author = json.loads(intent).get("who")
    if not author:
        return FunctionResult({})
    return FunctionResult({"context": f"The newest is of {author}.\n"})
