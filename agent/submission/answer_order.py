"""An answer put in order by a check that the benchmark declares."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple, TypeAlias

from sandbox.interface import CallError, Plain

MakeCall: TypeAlias = Callable[[str, Mapping[str, Plain]], Mapping[str, Plain]]


class AnswerToOrder(NamedTuple):
    """An answer before its references are in order."""

    outcome: str
    message: str
    task_type: str
    documents: tuple[str, ...]
    records: tuple[str, ...]
    protected: bool = False


def reasons_of(result: Mapping[str, Plain]) -> dict[str, str]:
    """Return the references of a function result: paths in their order, each with its reason."""
    refs = result.get("refs")
    listed = [reference for reference in refs if isinstance(reference, dict)] if isinstance(refs, list) else []
    return {str(reference["path"]): str(reference["reason"]) for reference in listed}


def ordered_answer(
    call: MakeCall, check: str, request: str, answer: AnswerToOrder, findings: str = "[]", *, in_order: bool = True
) -> tuple[str, dict[str, str]] | None:
    """Return an answer's message, possibly from a function result, and its references with their reasons as the check
    has them; None if it cannot read what it needs. `findings` is the JSON list of what the trial found."""
    given = {**answer._asdict(), "documents": [*answer.documents], "records": [*answer.records]}
    try:
        reply = call(check, {"request": request, "answer": given, "findings": findings, "in_order": in_order})
    except CallError:
        return None
    match reply.get("value"):
        case {"message": str(message)}:
            return message, reasons_of(reply)
    return None
