"""The facts of a trial: its fields for JSON and tables, and the reasons for its score in words.

A new fact of a trial is a field of `TrialFacts`, with its sentence.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from controlplane.agent.events import NOT_DONE
from controlplane.facts.fact_fields import about
from controlplane.gate_texts import gate_or_rule_text, names_of_gates_and_rules
from controlplane.journal.totals.trial_summary import Spent, TrialSummary
from controlplane.terminal_text import one_line

# Counts and costs by a name: of a role, such as `solve`, or of a gate.


@dataclass(frozen=True, slots=True)
class RoleResult:
    """The tokens and cost of the replies in one role."""

    replies: int
    tokens: int
    cost_usd: float | None


def role_results(by_role: Mapping[str, Spent]) -> dict[str, RoleResult]:
    """Return what the replies in each role took, in the order of the roles' names."""
    results = {}
    for role, spent in sorted(by_role.items()):
        results[role] = RoleResult(spent.replies, spent.tokens, spent.cost_usd)
    return results


def sorted_counts(counts: Mapping[str, int]) -> dict[str, int]:
    return dict(sorted(counts.items()))


@dataclass(frozen=True, slots=True)
class _StoppedCall:
    """A call that a check held back."""

    operation: str
    path: str
    then: str
    """What happened to the call afterwards, such as `repeated and sent`."""


@dataclass(frozen=True, slots=True)
class TrialFacts:
    """The facts of a trial, as JSON, tables and Python have them."""

    trial_id: str = field(metadata=about("its id at the benchmark"))
    task_id: str = field(
        metadata=about("its task; empty if that is known only once it starts")
    )
    family: str = field(metadata=about("the task's family: its id without the number"))
    world: int | None = field(
        metadata=about(
            "the number of its world, from 0; null if the benchmark allots the trials"
        )
    )
    repeat: int = field(metadata=about("the number of its try in that world, from 0"))
    state: str = field(
        metadata=about(
            "`waiting`, `running`, `open` (interrupted), `answered`, `fallback` (no submission "
            "was accepted; one was [sent at the end](gates.md#blocking-and-asking)), "
            "`unanswered`, `failed`"
        )
    )
    score: float | None = field(metadata=about("the grader's score"))
    unscored: str = field(
        metadata=about(
            "why it is over without a score; empty if it has one, or may yet get one"
        )
    )
    details: list[str] = field(metadata=about("the grader's words"))
    metrics: dict[str, float] = field(
        metadata=about("further figures of the grader, by name")
    )
    outcome: str = field(metadata=about("the outcome that was submitted"))
    answer: str = field(metadata=about("the message that was submitted"))
    refs: list[str] = field(metadata=about("the paths that the answer cites"))
    steps: int = field(metadata=about("the number of its last step"))
    elapsed_ms: float = field(
        metadata=about(
            "milliseconds from start to end, without the time for which it was open"
        )
    )
    tokens: int = field(metadata=about("its tokens"))
    cost_usd: float | None = field(
        metadata=about(
            "its cost in US dollars; null if the price of a reply is unknown"
        )
    )
    cached_share: float | None = field(
        metadata=about(
            "the share of its request tokens from the provider's prompt cache"
        )
    )
    roles: dict[str, RoleResult] = field(metadata=about("as of the run"))
    rejections: dict[str, int] = field(
        metadata=about("how often each gate and each rule sent its answers back")
    )
    overridden: dict[str, int] = field(
        metadata=about("rules over whose objections its answer was accepted")
    )
    stopped_calls: list[_StoppedCall] = field(
        metadata=about(
            "calls that the pre-call check held: `operation`, `path`, and what became of each "
            "(`then`)"
        )
    )
    held_calls: list[_StoppedCall] = field(
        metadata=about("calls that the check of provenance held, in the same form")
    )
    fallback_failed: list[str] = field(
        metadata=about(
            "the gates and rules that objected to what was sent as its fallback"
        )
    )
    reason: str = field(
        metadata=about("why it has no answer, did not start, or was left open")
    )


def trial_facts(trial: TrialSummary) -> TrialFacts:
    """Return the facts of a trial, from its totals."""
    return TrialFacts(
        trial_id=trial.trial_id,
        task_id=trial.task_id,
        family=trial.family,
        world=trial.number,
        repeat=trial.repeat,
        state=trial.state,
        score=trial.score,
        unscored=trial.why_unscored,
        details=list(trial.details),
        metrics=dict(trial.metrics),
        outcome=trial.outcome,
        answer=trial.answer,
        refs=list(trial.refs),
        steps=trial.step,
        elapsed_ms=trial.elapsed_ms,
        tokens=trial.spent.tokens,
        cost_usd=trial.spent.cost_usd,
        cached_share=trial.spent.cached_share,
        roles=role_results(trial.by_role),
        rejections=sorted_counts(trial.rejections),
        overridden=sorted_counts(trial.overridden),
        stopped_calls=_calls_stopped_by("check", trial),
        held_calls=_calls_stopped_by("provenance", trial),
        fallback_failed=list(trial.failed),
        reason=trial.reason,
    )


def _calls_stopped_by(check: str, trial: TrialSummary) -> list[_StoppedCall]:
    """Return the calls of a trial that a check held back.

    `check`: "check" for the pre-call check, "provenance" for the check of where arguments
    come from.
    """
    calls = []
    for call, then in trial.stopped.items():
        if call.stopped_by == check:
            calls.append(_StoppedCall(call.operation, call.path, then))
    return calls


# Why a trial has its score, in the words that tables and pages show.
#
# The reasons come from three sides: the remarks of the grader, how the trial ended (such as "no
# answer within 30 steps"), and which gates sent answers back.


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
