"""The submissions of a step, as the gates judged them."""

from __future__ import annotations

from typing import Final

from controlplane.agent.events import Judged, VerdictRecord
from controlplane.gate_texts import gate_or_rule_text
from controlplane.terminal_text import one_line, sanitize
from controlplane.view.trial_pages.page_part import Part

OBJECTIONS: Final = ("reject", "overridden")
"""The results with which a gate objects. "overridden": the answer was sent over the objection."""


def submission_part(submission: Judged, answer_in_scratchpad: object) -> Part:
    """Return a submission in one line, with a mark for each gate and what came of it.

    `gates ✓ ✓ · ✗  sent back OUTCOME_OK: 3 pieces`

    Below this line are the objections and, as a detail, why other gates had nothing to
    judge. An answer that is also in the scratchpad (the values that scripts keep) is left
    out, because the page shows the scratchpad.
    """
    result, style = _result(submission)
    # Only gates get a mark here: their keys are numbers, such as `6`. Rules have keys
    # such as `6/wording`.
    marks = []
    for verdict in submission.verdicts:
        if verdict.gate and verdict.key.isdecimal():
            marks.append(_mark(verdict))
    text = f"gates {' '.join(marks)}  {result} {one_line(submission.outcome)}"
    if submission.answer != answer_in_scratchpad:
        text += f": {one_line(submission.answer)}"

    parts = []
    other_reasons = []  # Why a gate had nothing to judge. Rules of rule sets have gate 0.
    for verdict in submission.verdicts:
        if verdict.result in OBJECTIONS:
            parts.append(_objection_part(verdict))
        elif verdict.gate and verdict.reason:
            other_reasons.append(
                f"{_verdict_name(verdict)}: {sanitize(verdict.reason)}"
            )
    if other_reasons:
        details = Part("\n".join(other_reasons), "dim")
        title = "· gates with nothing to judge"
        parts.append(Part(title, "dim", parts=(details,), is_detail=True))
    return Part(text, style, parts=tuple(parts))


def _result(submission: Judged) -> tuple[str, str]:
    """Return what came of a submission, and its style."""
    if not submission.accepted:
        return "sent back", "red"
    if submission.overridden:
        return "accepted over objections", "yellow"
    return "accepted", "green"


def _objection_part(verdict: VerdictRecord) -> Part:
    """Return the gate or rule that objects and, as a detail, its reason."""
    style = "red" if verdict.result == "reject" else "yellow"
    reasons = []
    if verdict.reason:
        reasons.append(Part(sanitize(verdict.reason), "dim", is_detail=True))
    return Part(_verdict_name(verdict), style, parts=tuple(reasons))


def _verdict_name(verdict: VerdictRecord) -> str:
    """Return the name of a gate or rule with its mark: `✗ gate 8 (literal tokens)`."""
    name = f"{_mark(verdict)} {gate_or_rule_text(verdict.key)}"
    if verdict.enforcement == "off":
        name += ", switched off"
    return name


MARKS: Final = {
    "pass": "✓",
    "reject": "✗",
    "overridden": "!",
    "not_applicable": "·",
    "skipped": "-",
}
"""The mark of each result of a gate. If it is `not_applicable`, the gate had nothing to judge."""


def _mark(verdict: VerdictRecord) -> str:
    return MARKS.get(verdict.result, "?")
