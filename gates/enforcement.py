"""Enforces the findings of gates and rules under a run's policy, asks gate 7, and combines all verdicts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from gates.rules import Rule
from gates.script_gates import judge_verify_reply
from gates.submission import Plain, Submission, describe, quote
from gates.verdict import (
    ALL_GATES,
    GATE_NAMES,
    MAX_REASON_CHARS,
    MOST_TURNS,
    PACK_GATE,
    GatePolicy,
    Judgement,
    Verdict,
)

VERIFY_GATE: Final = 7
"""The gate that calls the script's own `verify`; it runs last, in the parent."""
VERIFY_RULE: Final = Rule(GATE_NAMES[VERIFY_GATE], lambda submission, evidence, case: None, "block", gate=VERIFY_GATE)
_SHOWN_CHARS: Final = 80
"""Max characters of an earlier objection that are shown again."""
INSISTING: Final = "If the answer is right, submit it again: it passes, and is reported as accepted over the objection."
JUDGING: Final = "judging"
"""The name of the verdict on a submission that could not be judged."""


def conclude(
    submission: Submission,
    found: Sequence[Verdict],
    policy: GatePolicy | None = None,
    put: Mapping[str, Sequence[str]] | None = None,
) -> Judgement:
    """Return the judgement that follows from the verdicts that need only data, and from gate 7, under a run's policy.

    `put` holds what each asking rule objected to in the trial's earlier turns, by the verdict's key. Gate 7 calls the
    script's own code; it runs last, and only if nothing else rejects.
    """
    policy, put = policy or GatePolicy(), put or {}
    verdicts = [_enforced(verdict, policy, put) for verdict in found]
    if any(verdict.result == "reject" and verdict.enforcement != "off" for verdict in verdicts):
        last = Verdict(VERIFY_GATE, VERIFY_RULE.name, "skipped", "runs only if everything else passes")
    else:
        last = VERIFY_RULE.verdict(judge_verify_reply(submission), frozenset(), frozenset())
    verdicts.append(_enforced(last, policy, put))
    ordered = tuple(sorted(verdicts, key=lambda verdict: verdict.gate or len(ALL_GATES) + 1))
    rejections = [verdict for verdict in ordered if verdict.result == "reject" and verdict.enforcement != "off"]
    return Judgement(
        accepted=not rejections,
        message="\n".join(_text(verdict, put.get(verdict.key, ())) for verdict in rejections),
        verdicts=ordered,
        answer=_sendable(submission.answer),
        outcome=_sendable(submission.outcome),
        refs=tuple(_sendable(path) for path in submission.citations),
    )


def _enforced(verdict: Verdict, policy: GatePolicy, put: Mapping[str, Sequence[str]]) -> Verdict:
    """Return a verdict as enforced: an objection that was raised often enough no longer rejects."""
    enforcement = policy.enforcement(verdict)
    is_spent = enforcement == "ask" and len(put.get(verdict.key, ())) >= MOST_TURNS
    if verdict.result == "reject" and is_spent:
        return replace(verdict, result="protest", enforcement=enforcement)
    return verdict if verdict.enforcement == enforcement else replace(verdict, enforcement=enforcement)


def _text(verdict: Verdict, earlier: Sequence[str]) -> str:
    """Return the text of a rejection; a repeated objection tells only what is new, and that the answer may stand."""
    name = f"gate {verdict.gate}: {verdict.name}" if verdict.gate != PACK_GATE else verdict.name
    if verdict.enforcement == "block":
        return f"[{name}] {verdict.reason}"
    turns, lines = MOST_TURNS, verdict.reason.splitlines()
    left = [line for line in lines if line in "\n".join(earlier).splitlines()]
    parts = [line for line in lines if line not in left]
    parts += [f"This still stands: {quote(left[0], _SHOWN_CHARS)}."] if left else []
    parts += [INSISTING] if earlier and len(earlier) + 1 == turns else []
    return f"[{name}; objection {len(earlier) + 1} of {turns}] " + "\n".join(parts)


def unjudged(reason: str, *, blocks: bool = False) -> Verdict:
    """Return the verdict on a submission that could not be judged."""
    return Verdict(PACK_GATE, JUDGING, "reject", reason[:MAX_REASON_CHARS], "block" if blocks else "ask")


def _sendable(value: Plain) -> str:
    """Return text unchanged and any other value as a description, both without what UTF-8 cannot encode."""
    if value is None:
        return ""
    text = value if isinstance(value, str) else describe(value)
    return text.encode("utf-8", "replace").decode("utf-8")
