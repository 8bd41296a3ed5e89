"""Has an answer's references put in order by a check that the environment declares."""

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


class OrderedAnswer(NamedTuple):
    """Its message, perhaps as a finding gives it, and its references with their reasons."""

    message: str
    reasons: dict[str, str]


def reasons_of(found: Mapping[str, Plain]) -> dict[str, str]:
    """Return the references of a finding: paths in their order, each with its reason."""
    refs = found.get("refs")
    listed = [each for each in refs if isinstance(each, dict)] if isinstance(refs, list) else []
    return {str(each["path"]): str(each["reason"]) for each in listed}


def order_arguments(
    request: str, answer: AnswerToOrder, findings: str = "[]", *, in_order: bool = True
) -> dict[str, Plain]:
    """Return the arguments of the check. `findings` is the JSON list of what the trial found."""
    told: dict[str, Plain] = {**answer._asdict(), "documents": [*answer.documents], "records": [*answer.records]}
    return {"request": request, "answer": told, "findings": findings, "in_order": in_order}


def ordered_answer(call: MakeCall, check: str, arguments: Mapping[str, Plain]) -> OrderedAnswer | None:
    """Return what the check says; None if it cannot read what it needs."""
    try:
        found = call(check, arguments)
    except CallError:
        return None
    match found.get("value"):
        case {"message": str(message)}:
            return OrderedAnswer(message, reasons_of(found))
    return None
