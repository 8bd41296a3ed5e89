"""Has the rules that read the workspace judged in a trial's aide, by turns with the calls that they ask for.

They cost a trial nothing but their bounded time: one that cannot be judged in it does not apply. How long something
took is no part of a verdict, so a replay takes it from the record.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final, TypeAlias

from agent.events.call_records import ExitCall
from agent.submission.exit_reads import ExitReads, OutOfTime
from agent.submission.judging_data import verdicts_of
from gates import Findings, Verdict, load_pack
from gates.types import MAX_REASON_CHARS, PACK_GATE
from sandbox import Aide
from sandbox.interface import CallError, Plain

_FUNCTION: Final = "agent.submission.judge_in_aide:recompute"
STOPPED: Final = "stopped: "
"""How the reason begins with which a rule does not apply because of the machine, its load or a fault."""

_Wanted: TypeAlias = tuple[str, dict[str, Any]]


def with_recomputations(findings: Findings, aide: Aide, packs: tuple[str, ...], reads: ExitReads) -> Findings:
    """Return the findings on the submission that `aide` judged last, with the verdicts of the rules that read."""
    names = {f"{pack.name}/{each.name}" for pack in map(load_pack, packs) for each in pack.recomputations}
    if not names:
        return findings
    verdicts: dict[str, Verdict] = {}
    why = _judge(verdicts, names, aide, packs, reads)
    for name in names:
        reason = reads.recorded_reasons.get(name, "")
        if not reason.startswith(STOPPED):
            reason = "" if name in verdicts else STOPPED + why
        if reason:
            verdicts[name] = Verdict(PACK_GATE, name, "not_applicable", reason[:MAX_REASON_CHARS])
    return replace(findings, verdicts=tuple(verdicts.get(each.name, each) for each in findings.verdicts))


def _judge(verdicts: dict[str, Verdict], names: set[str], aide: Aide, packs: tuple[str, ...], reads: ExitReads) -> str:
    """Fill in the verdicts, and return why some are missing."""
    limits, used_s = reads.limits, 0.0
    answers: list[Plain] = []
    try:
        # Each turn but the last two brings a call that may be made.
        for _ in range(limits.calls + 2):
            if reads.left_s <= 0:
                break
            if used_s >= limits.cpu_s:
                return f"more than {limits.cpu_s:g} s of CPU"
            left_s = limits.cpu_s - used_s
            reply = aide.call(_FUNCTION, [*packs], answers, reads.kept_since, cpu_s=left_s, wall_s=reads.left_s)
            found, wanted, taken_over, cpu_s = _turn(reply, names)
            reads.count_known(taken_over)
            verdicts |= found
            used_s += cpu_s
            if not wanted:
                return ""
            answers = [_answer(asked, call) for asked, call in zip(wanted, reads.answers(wanted), strict=True)]
    except OutOfTime:
        pass
    except (CallError, ValueError) as error:
        return str(error)
    return f"more than {limits.wall_s:g} s, or {limits.calls} turns"


def _turn(reply: object, names: set[str]) -> tuple[dict[str, Verdict], list[_Wanted], int, float]:
    """Return verdicts by name, calls that are asked for, how many were answered there, and CPU seconds.

    Raises `ValueError` for another form.
    """
    match reply:
        case [list(rows), list(wanted), int(taken_over), float(cpu_s)] if all(map(_is_call, wanted)):
            verdicts = {each.name: each for each in verdicts_of(rows)}
            if verdicts.keys() <= names:
                asked = [(operation, arguments) for operation, arguments in wanted]
                return verdicts, asked, max(taken_over, 0), max(cpu_s, 0.0)
    msg = "findings of another form"
    raise ValueError(msg)


def _is_call(data: object) -> bool:
    match data:
        case [str(), dict()]:
            return True
    return False


def _answer(asked: _Wanted, call: ExitCall) -> Plain:
    failure: Plain = None if call.error is None else [call.error.code, call.error.message]
    return [*asked, call.result, failure]
