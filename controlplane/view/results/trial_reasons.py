"""Why a trial has its score, in the words that tables and reports show.

The reasons come from three sides: the remarks of the grader, how the trial ended (such as "no
answer within 30 steps"), and which gates sent answers back.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from controlplane.agent.events import NOT_DONE
from controlplane.gate_texts import gate_or_rule_text, names_of_gates_and_rules
from controlplane.terminal_text import one_line

if TYPE_CHECKING:
    from controlplane.journal.totals.trial_summary import TrialSummary


@dataclass(frozen=True, slots=True)
class _TrialReasons:
    """The reasons for a trial's score, for tables and reports.

    A fallback is the answer that the product sends if the model gave none.
    """

    has_answer: bool
    """True if the trial gave an answer of its own, not the fallback."""
    grader: tuple[str, ...]
    """The remarks of the grader."""
    answer: str
    """The last answer, shortened; empty if the grader has no remark on it."""
    ending: tuple[str, ...]
    """The reasons for how the trial ended, one text each.

    First come a missing answer and the fallback, then, without the full score, calls that were
    held, then gates and rules whose objections the model did not follow, then gates and rules
    whose own code failed."""

    @property
    def lines(self) -> list[str]:
        """All reasons, the most important first.

        If the trial has an answer, the remarks of the grader come first. The first remark
        says what is wrong, and the answer follows it: "expected 4 rows", "answered 3 rows".
        """
        first_remark = self.grader[:1]
        further_remarks = self.grader[1:]
        answer = [f"answered {self.answer}"] if self.answer else []
        graded = [*first_remark, *answer, *further_remarks]
        if self.has_answer:
            return [*graded, *self.ending]
        return [*self.ending, *graded]


_SHOWN_ANSWER_CHARS: Final = 40


def reasons_of(trial: TrialSummary, *, is_submitted: bool = False) -> _TrialReasons:
    """Return the reasons for a trial's score.

    `is_submitted`: True if the run is submitted. That ends all its trials at the benchmark,
    so one that has no end in the journal was cut off.
    """
    has_answer = trial.state == "answered"
    # With gates in `failed`, the fallback is the last answer that they rejected, so it is shown
    # like one of the model. Any other fallback only says that there is no answer.
    repeats_rejected = bool(trial.failed)
    answer = ""
    if trial.details and (has_answer or repeats_rejected):
        answer = one_line(trial.answer)
    if len(answer) > _SHOWN_ANSWER_CHARS:
        answer = answer[: _SHOWN_ANSWER_CHARS - 1] + "…"
    ending = _ending_texts(trial, is_submitted=is_submitted)
    return _TrialReasons(has_answer, trial.details, answer, tuple(ending))


def held_calls_texts(trial: TrialSummary) -> list[str]:
    """Return the calls of a trial that were held and never sent, each with what would send it.

    `write /a.md was held, as its values stand only in read text; --provenance write=off sends it`
    """
    texts: dict[str, None] = {}
    for call, then in trial.stopped.items():
        if call.stopped_by == "provenance" and then in (NOT_DONE, "refused"):
            operation = one_line(call.operation)
            held = f"{operation} {one_line(call.path)}".strip()
            reason = "was held, as its values stand only in read text"
            texts[f"{held} {reason}; --provenance {operation}=off sends it"] = None
    return list(texts)


def _ending_texts(trial: TrialSummary, *, is_submitted: bool) -> list[str]:
    """Return why the trial ended as it did, then overridden objections and faults of gates."""
    reasons = []
    is_cut_off = trial.state == "open" and (is_submitted or trial.score is not None)
    if is_cut_off:
        reasons.append(f"cut off: {trial.reason}" if trial.reason else "cut off")
    elif trial.reason:
        reasons.append(trial.reason)

    texts = list(reasons)
    if trial.state == "fallback" and trial.failed:
        # The gates' objections say more than that the model stopped, so they come first.
        gates = names_of_gates_and_rules(trial.failed)
        texts = [f"fallback: its last submission, sent back by {gates}", *reasons]
    elif trial.state == "fallback":
        texts = [*reasons, f"fallback: {trial.outcome}"]

    has_full_score = trial.score is not None and trial.score >= 1
    if not has_full_score:
        texts += held_calls_texts(trial)
    # `overridden` are gates and rules whose objection the model did not follow;
    # `broken` are those whose own code failed.
    if trial.overridden:
        texts.append(
            f"accepted over objections: {names_of_gates_and_rules(trial.overridden)}"
        )
    for key, error in trial.broken.items():
        texts.append(f"{gate_or_rule_text(key)}: {error}")
    return texts
