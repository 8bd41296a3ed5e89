"""Tells differences in the texts of errors, which depend on the version of Python, from others."""

from __future__ import annotations

from collections.abc import Sequence

from controlplane.agent.events import Judged
from controlplane.agent.evidence import Difference
from controlplane.gates.verdicts import VERIFY_GATE


def first_difference(
    differences: Sequence[Difference], *, compare_errors: bool
) -> Difference | None:
    """Return the first difference. Ignore error texts if `compare_errors` is False."""
    for difference in differences:
        if compare_errors or not _is_of_error_texts(difference):
            return difference
    return None


def _is_of_error_texts(difference: Difference) -> bool:
    """Return True if only the texts of errors differ."""
    if difference.field == "error":
        return True
    recorded = difference.recorded
    now = difference.now
    if not (isinstance(recorded, Judged) and isinstance(now, Judged)):
        return False
    return _without_error_texts(recorded) == _without_error_texts(now)


def _without_error_texts(judged: Judged) -> Judged:
    """Return a judgement without the reason of gate 7, which quotes errors of a script's `verify`.

    The message contains all reasons, so it is removed, too.
    """
    verdicts = []
    for verdict in judged.verdicts:
        if verdict.gate == VERIFY_GATE:
            verdict = verdict.model_copy(update={"reason": ""})
        verdicts.append(verdict)
    return judged.model_copy(update={"message": "", "verdicts": tuple(verdicts)})
