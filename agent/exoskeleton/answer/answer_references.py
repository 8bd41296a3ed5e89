"""The references of an answer: the files that it cites, as a check of the benchmark corrects them.

The model's answer is sent to the check, and the references in the result take the place of its own:

    cited by the model                /docs/draft.md
    `answer_fields`, for the check    {"documents": ["/docs/draft.md"], "records": [], ...}
    result of the check               {"value": None, "refs": [{"path": "/docs/loans.md"}]}
    cited `with_references`           /docs/loans.md
"""

from __future__ import annotations

from collections.abc import Mapping

from controlplane.agent.exoskeleton.cited_path import CitedPath
from controlplane.agent.exoskeleton.completion import Completion
from controlplane.sandbox.interface import Plain


def answer_fields(completion: Completion) -> dict[str, Plain]:
    """Return the answer in the form that the benchmark's check of references takes."""
    return {
        "outcome": completion.outcome,
        "message": completion.message,
        "task_type": completion.task_type,
        "protected": completion.protected,
        "documents": [document.path for document in completion.documents],
        "records": [record.path for record in completion.records],
    }


def with_references(completion: Completion, result: Mapping[str, Plain]) -> Completion:
    """Return a completion with the references and the message of a check's result.

    The result is `{"value": {"message": "..."}, "refs": [{"path": "/loans/l7.json"}]}`. If the
    value is None, the message stays. A file that the model itself has cited keeps the model's
    reason and quotation. All references become `records`: only the check needs to know which of
    them are `documents`, whose rules the answer follows.
    """
    cited = completion.cited
    records: list[CitedPath] = []
    for reference in references_of(result):
        own_reference = cited.get(reference.path, reference)
        reason = own_reference.reason or reference.reason
        records.append(
            CitedPath(path=reference.path, reason=reason, quote=own_reference.quote)
        )

    value = result["value"]
    message = value["message"] if isinstance(value, dict) else completion.message
    return completion.model_copy(
        update={"documents": (), "records": tuple(records), "message": message}
    )


def references_of(result: Mapping[str, Plain]) -> tuple[CitedPath, ...]:
    """Return the references in the result of a function, in order.

    `{"refs": [{"path": "/loans/l7.json", "reason": "the loan"}]}` has one.
    """
    references = result.get("refs")
    if not isinstance(references, list):
        return ()
    return tuple(CitedPath.model_validate(reference) for reference in references)
