"""Has the aide compute findings, and order answers by them, in turns with the calls that it asks for."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, NamedTuple, TypeAlias

from agent.findings.compute_in_aide import Computation
from sandbox import Aide
from sandbox.interface import CallError, Plain, error_codes

FINDING_MODULE: Final = "agent.findings.compute_in_aide"
"""The module that an aide must have imported."""
TIMED_OUT: Final = 124
"""The exit code of a tool that timed out, as `timeout(1)` has it."""
Asked: TypeAlias = tuple[str, dict[str, Any]]
"""An operation and its arguments."""
Outcome: TypeAlias = "Mapping[str, Plain] | CallError"
Ask: TypeAlias = Callable[[Sequence[Asked]], list[Outcome]]
"""Makes calls and returns the outcome of each, in their order."""


class FindingLimits(NamedTuple):
    """Limits of one finding."""

    calls: int = 300
    """Calls that the function makes."""
    cpu_s: float = 2.0
    """CPU seconds of the function itself."""
    wall_s: float = 60.0
    """Wall-clock seconds, calls included."""


LIMITS: Final = FindingLimits()


def compute_finding(
    function: str,
    arguments: Mapping[str, Any],
    *,
    aide: Aide | None,
    ask: Ask,
    tools: Mapping[str, str] = MappingProxyType({}),
    limits: FindingLimits = LIMITS,
) -> dict[str, Plain]:
    """Return a finding as the result of a call: `value`, `refs`, `notes`. `tools` says by path what each tool does.

    Raises `CallError`: `failed_precondition` if the function cannot read what it needs, `resource_exhausted` beyond the
    limits, `internal` if it fails.
    """
    deadline = time.monotonic() + limits.wall_s
    take_turn = _turns_in(aide, function, dict(arguments), dict(tools))
    answers: list[Plain] = []
    used_s, calls = 0.0, 0
    while True:
        if time.monotonic() > deadline or used_s > limits.cpu_s:
            msg = f"the finding took more than {limits.cpu_s:g} s of CPU, or {limits.wall_s:g} s"
            raise CallError(error_codes.RESOURCE_EXHAUSTED, msg)
        match take_turn(answers, limits.cpu_s - used_s):
            case ["found", {"value": value, "refs": list(refs), "notes": list(notes)}, float()]:
                return {"value": value, "refs": refs, "notes": notes}
            case ["asks", list(wanted), float(cpu_s)] if wanted and all(map(_is_asked, wanted)):
                used_s, calls = used_s + max(cpu_s, 0.0), calls + len(wanted)
                if calls > limits.calls:
                    msg = f"the finding needs more than {limits.calls} calls: read what it needs by hand"
                    raise CallError(error_codes.RESOURCE_EXHAUSTED, msg)
                asked = [(str(operation), dict(given)) for operation, given in wanted]
                outcomes, again = _asked_twice(asked, ask, limits.calls - calls)
                calls += again
                answers = [_answer(call, outcome) for call, outcome in zip(asked, outcomes, strict=True)]
            case _:
                msg = "the function returned no finding"
                raise CallError(error_codes.INTERNAL, msg)


def _turns_in(
    aide: Aide | None, function: str, arguments: dict[str, Any], tools: dict[str, str]
) -> Callable[[list[Plain], float], object]:
    if aide is None:
        computation = Computation(function, arguments, tools)
        return lambda answers, _: computation.turn(answers)

    def take_turn(answers: list[Plain], cpu_s: float) -> object:
        if answers:
            return aide.call(f"{FINDING_MODULE}:go_on", answers, cpu_s=cpu_s)
        return aide.call(f"{FINDING_MODULE}:begin", function, arguments, tools, cpu_s=cpu_s)

    return take_turn


def _asked_twice(asked: Sequence[Asked], ask: Ask, room: int) -> tuple[list[Outcome], int]:
    """Make calls, repeat those whose tool timed out if there is `room`, and return also how many were repeated."""
    outcomes = ask(asked)
    results = [{} if isinstance(outcome, CallError) else outcome for outcome in outcomes]
    late = [at for at, result in enumerate(results) if result.get("exit_code") == TIMED_OUT]
    if not late or len(late) > room:
        return outcomes, 0
    for at, outcome in zip(late, ask([asked[at] for at in late]), strict=True):
        outcomes[at] = outcome
    return outcomes, len(late)


def _is_asked(data: object) -> bool:
    match data:
        case [str(), dict()]:
            return True
    return False


def _answer(asked: Asked, outcome: Outcome) -> Plain:
    if isinstance(outcome, CallError):
        return [*asked, None, [str(outcome.code), str(outcome.message)]]
    return [*asked, dict(outcome), None]


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
    """An answer's message, possibly from a finding, and its references with their reasons."""

    message: str
    reasons: dict[str, str]


def reasons_of(found: Mapping[str, Plain]) -> dict[str, str]:
    """Return the references of a finding: paths in their order, each with its reason."""
    refs = found.get("refs")
    listed = [reference for reference in refs if isinstance(reference, dict)] if isinstance(refs, list) else []
    return {str(reference["path"]): str(reference["reason"]) for reference in listed}


def order_arguments(
    request: str, answer: AnswerToOrder, findings: str = "[]", *, in_order: bool = True
) -> dict[str, Plain]:
    """Return the arguments of the check. `findings` is the JSON list of what the trial found."""
    told: dict[str, Plain] = {**answer._asdict(), "documents": [*answer.documents], "records": [*answer.records]}
    return {"request": request, "answer": told, "findings": findings, "in_order": in_order}


def ordered_answer(call: MakeCall, check: str, arguments: Mapping[str, Plain]) -> OrderedAnswer | None:
    """Return the result of the check; None if the check cannot read what it needs."""
    try:
        found = call(check, arguments)
    except CallError:
        return None
    match found.get("value"):
        case {"message": str(message)}:
            return OrderedAnswer(message, reasons_of(found))
    return None
