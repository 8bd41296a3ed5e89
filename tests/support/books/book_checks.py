"""Checks of the library: functions that the solver calls itself, for every trial.

Those that come before the main model get the request and the classifier's `intent`, which is JSON:
for "Which books are by Austen?", `{"change": false, "who": "Austen"}`. The last one, `cited_files`,
comes when the main model has answered.
"""

import json
from collections.abc import Sequence
from typing import Any

from controlplane.benchmarks.shop.workspace.workspace_reader import WorkspaceReader
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


def cited_files(
    harness: Any, *, request: str, answer: Any, findings: str, in_order: bool
) -> FunctionResult[dict[str, str]]:
    """Return the message of the model's answer, and references to the files that it cites.

    An answer with `"records": ["/books/dune.txt"]` cites this file, always without a reason.
    Further files are those that functions have cited in the trial; `findings` has their results:

        [{"value": [...], "refs": [{"path": "/books/emma.txt", "reason": "it says by Austen"}]}]

    If `in_order`, the references are sorted, and get the reasons that they lack.
    """
    reason_by_path: dict[str, str] = {}
    for function_result in json.loads(findings):
        for reference in function_result.get("refs", ()):
            reason_by_path[reference["path"]] = reference["reason"]
    for path in answer["records"]:
        reason_by_path[path] = ""
    refs = [Reference(path, reason) for path, reason in reason_by_path.items()]
    if in_order:
        refs = _sorted_with_reasons(refs, WorkspaceReader(harness))
    return FunctionResult({"message": answer["message"]}, tuple(refs))


def _sorted_with_reasons(
    refs: Sequence[Reference], reader: WorkspaceReader
) -> list[Reference]:
    """Return the references sorted by path. The text of a file is the reason for citing it, if
    there is no other: `("/books/dune.txt", "")` -> `("/books/dune.txt", "by Herbert")`."""
    complete_refs: list[Reference] = []
    for ref in sorted(refs, key=lambda ref: ref.path):
        text = reader.read(ref.path)
        complete_refs.append(Reference(ref.path, ref.reason or text))
    return complete_refs
