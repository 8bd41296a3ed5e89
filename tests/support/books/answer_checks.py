"""The check of the library when the main model has answered: which files does the answer cite?

The solver calls this function before it sends the answer.
"""

import json
from collections.abc import Sequence
from typing import Any

from controlplane.benchmarks.shop.workspace.reading import WorkspaceReader
from controlplane.sandbox.functions import FunctionResult, Reference


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
