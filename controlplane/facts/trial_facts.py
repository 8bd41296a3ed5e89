"""The facts of a trial: its fields for JSON and tables, and the reasons for its score in words.

A new fact of a trial is a field of `TrialRow` or `TrialFacts`, with its docstring.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Final, TypeAlias

from controlplane.agent.events import NOT_DONE, now_ms
from controlplane.gate_texts import gate_or_rule_text, names_of_gates_and_rules
from controlplane.journal.totals.trial_summary import (
    OVER_WORST_FIRST,
    RUNNING,
    Spent,
    TrialSummary,
)
from controlplane.quantity_texts import clock_text, span_text, spent_texts
from controlplane.terminal_text import one_line

Row: TypeAlias = dict[str, Any]
"""Values by name. An absent number is None, never 0."""


def row_of(facts: Any, row: type[Any] | None = None) -> Row:
    """Return facts by name: all, or those of the class `row`, such as `TrialRow`."""
    return {fact.name: getattr(facts, fact.name) for fact in fields(row or facts)}


NO_REMARK: Final = "the grader gave no reason"
_SHOWN_ANSWER_CHARS: Final = 40


def short_outcomes(text: str) -> str:
    """Return a text with shortened outcomes: `OUTCOME_OK` becomes `OK`."""
    return text.replace("OUTCOME_", "")


def role_results(by_role: Mapping[str, Spent]) -> dict[str, Row]:
    """Return the tokens and cost of the replies in each role, in the order of the roles' names."""
    results: dict[str, Row] = {}
    for role, spent in sorted(by_role.items()):
        results[role] = {
            "replies": spent.replies,
            "tokens": spent.tokens,
            "cost_usd": spent.cost_usd,
        }
    return results


def sorted_counts(counts: Mapping[str, int]) -> dict[str, int]:
    return dict(sorted(counts.items()))


@dataclass(frozen=True, slots=True)
class TrialRow:
    """The facts of a trial that JSON, tables and Python have.

    A fallback is the answer that the product sends if the model gave none.
    """

    trial_id: str
    """Its id at the benchmark."""
    task_id: str
    """Its task; empty if that is known only once it starts."""
    family: str
    """The task's family: its id without the number."""
    world: int | None
    """The number of its world, from 0; null if the benchmark allots the trials."""
    repeat: int
    """The number of its try in that world, from 0."""
    state: str
    """`waiting`, `running`, `open` (interrupted), `answered`, `fallback` (no submission was
    accepted; one was [sent at the end](gates.md#blocking-and-asking)), `unanswered`, `failed`."""
    score: float | None
    """The grader's score."""
    unscored: str
    """Why it is over without a score; empty if it has one, or may yet get one."""
    details: list[str]
    """The grader's words."""
    metrics: dict[str, float]
    """Further figures of the grader, by name."""
    outcome: str
    """The outcome that was submitted."""
    answer: str
    """The message that was submitted."""
    refs: list[str]
    """The paths that the answer cites."""
    steps: int
    """The number of its last step."""
    elapsed_ms: float
    """Milliseconds from start to end, without the time for which it was open."""
    tokens: int
    """Its tokens."""
    cost_usd: float | None
    """Its cost in US dollars; null if the price of a reply is unknown."""
    cached_share: float | None
    """The share of its request tokens from the provider's prompt cache."""
    roles: dict[str, Row]
    """As of the run."""
    rejections: dict[str, int]
    """How often each gate and each rule sent its answers back."""
    overridden: dict[str, int]
    """Rules over whose objections its answer was accepted."""
    stopped_calls: list[Row]
    """Calls that the pre-call check held: `operation`, `path`, and what became of each (`then`)."""
    held_calls: list[Row]
    """Calls that the check of provenance held, in the same form."""
    fallback_failed: list[str]
    """The gates and rules that objected to what was sent as its fallback."""
    reason: str
    """Why it has no answer, did not start, or was left open."""


@dataclass(frozen=True, slots=True)
class TrialFacts(TrialRow):
    """The facts of a trial, with those that only the terminal, pages and exports show."""

    instruction: str
    """The task's text; empty until the trial starts."""
    started_ms: int
    """The start of its latest attempt, in milliseconds since 1970; 0 if it never started."""
    current_step: int
    """The step that it is working on or, if it does not run, would be next: from 1."""
    doing: str
    """Its current activity; empty unless it runs."""
    output: str
    """The end of the current call's output; empty if it is not known."""
    calls: int
    """How many of its calls were sent so far."""
    last_calls: tuple[str, ...]
    """The latest calls, such as `read /a/b.md`."""
    tokens_are_estimated: bool
    """True if its tokens are estimated, since an endpoint told none."""
    sent_back: int
    """How many of its answers gates and rules sent back."""
    shown_answer: str
    """The last answer, shortened; empty if the grader has no remark on it."""
    ending: tuple[str, ...]
    """The reasons for how the trial ended, one text each.

    First come a missing answer and the fallback, then, without the full score, calls that were
    held, then gates and rules whose objections the model did not follow, then gates and rules
    whose own code failed."""

    @property
    def task(self) -> str:
        """The task, or the trial if its task is unknown."""
        return self.task_id or self.trial_id

    @property
    def is_over(self) -> bool:
        """True if nothing is left to do for it."""
        return self.state in OVER_WORST_FIRST

    @property
    def own_score(self) -> float | None:
        """Its score if it is over, else None."""
        return self.score if self.is_over else None

    @property
    def has_full_score(self) -> bool:
        return self.score is not None and self.score >= 1

    @property
    def is_partly_right(self) -> bool:
        """True if it scored between 0 and 1, such as the average of many plays."""
        return self.score is not None and 0 < self.score < 1

    @property
    def has_failed(self) -> bool:
        """True if it scored 0, has no score for good, or ended without an answer of its own.

        A trial that is still open, or whose score the benchmark still hides, has not failed.
        Neither has one with a score between 0 and 1.
        """
        if self.own_score is not None:
            return self.own_score <= 0
        return bool(self.unscored) or (self.is_over and not self.has_answer)

    @property
    def has_answer(self) -> bool:
        """True if the trial gave an answer of its own, not the fallback."""
        return self.state == "answered"

    @property
    def shown_outcome(self) -> str:
        """Its outcome, shortened, or its state if it has none."""
        return short_outcomes(self.outcome) or self.state

    @property
    def time_text(self) -> str:
        """How long it took, or has been running; `-` if it has not started."""
        if self.state == RUNNING and self.started_ms:
            return clock_text((now_ms() - self.started_ms) / 1000)
        return span_text(self.elapsed_ms) if self.elapsed_ms else "-"

    @property
    def spent_texts(self) -> list[str]:
        """Its tokens and cost, as far as there are any."""
        return spent_texts(
            self.tokens, self.cost_usd, is_estimated=self.tokens_are_estimated
        )

    @property
    def reasons(self) -> list[str]:
        """The reasons for its score, the most important first.

        If the trial has an answer, the remarks of the grader come first. The first remark
        says what is wrong, and the answer follows it: "expected 4 rows", "answered 3 rows".
        With the full score, only how it ended remains: "accepted over objections: citations".
        """
        answer = [f"answered {self.shown_answer}"] if self.shown_answer else []
        graded = [*self.details[:1], *answer, *self.details[1:]]
        if not self.has_answer:
            return [*self.ending, *graded]
        return [*([] if self.has_full_score else graded), *self.ending]

    @property
    def faults(self) -> list[str]:
        """What went wrong, the cause first, each in one line.

        The cause is the grader's first remark or, without an answer, how the trial ended. The
        answer is left out, since trials with different answers may have the same fault.
        """
        texts = [*self.ending, *self.details]
        if self.has_answer:
            texts = [*self.details, *self.ending]
        return [one_line(short_outcomes(text)) for text in texts] or [NO_REMARK]

    @property
    def why(self) -> str:
        """The reasons in one text."""
        return short_outcomes("; ".join(self.reasons))


def trial_facts(trial: TrialSummary, *, is_submitted: bool = False) -> TrialFacts:
    """Return the facts of a trial, from its totals.

    `is_submitted`: True if the run is submitted. That ends all its trials at the benchmark,
    so one that has no end in the journal was interrupted.
    """
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
        instruction=trial.instruction,
        started_ms=trial.started_ms,
        current_step=max(trial.step, trial.steps_done + 1),
        doing=trial.doing,
        output=trial.output,
        calls=trial.calls,
        last_calls=trial.last_calls,
        tokens_are_estimated=trial.spent.is_estimated,
        sent_back=sum(bool(answer.rejected) for answer in trial.submissions),
        shown_answer=_shown_answer(trial),
        ending=tuple(_ending_texts(trial, is_submitted=is_submitted)),
    )


def _calls_stopped_by(check: str, trial: TrialSummary) -> list[Row]:
    """Return the calls of a trial that a check held back, each with what happened to it afterwards.

    `check`: "check" for the pre-call check, "provenance" for the check of where arguments
    come from.
    """
    calls: list[Row] = []
    for call, then in list(trial.stopped.items()):
        if call.stopped_by == check:
            calls.append({"operation": call.operation, "path": call.path, "then": then})
    return calls


def _shown_answer(trial: TrialSummary) -> str:
    """Return the answer on which the grader has a remark, shortened.

    With gates in `failed`, the fallback is the last answer that they rejected, so it is shown
    like one of the model. Any other fallback only says that there is no answer.
    """
    repeats_rejected = bool(trial.failed)
    if not trial.details or not (trial.state == "answered" or repeats_rejected):
        return ""
    answer = one_line(trial.answer)
    if len(answer) > _SHOWN_ANSWER_CHARS:
        return answer[: _SHOWN_ANSWER_CHARS - 1] + "…"
    return answer


_HELD: Final = {
    "check": "was held by the pre-call check, and not sent",
    "provenance": "was held, as its values stand only in read text; --provenance {}=off sends it",
}
"""What is told of a call that was held and never sent, by what held it."""


def held_calls_texts(trial: TrialSummary) -> list[str]:
    """Return the calls of a trial that were held and never sent, each with what would send it.

    `write /a.md was held, as its values stand only in read text; --provenance write=off sends it`
    """
    texts: dict[str, None] = {}
    for call, then in list(trial.stopped.items()):
        if then in (NOT_DONE, "refused", "unasked"):
            operation = one_line(call.operation)
            held = f"{operation} {one_line(call.path)}".strip()
            texts[f"{held} {_HELD[call.stopped_by].format(operation)}"] = None
    return list(texts)


def _ending_texts(trial: TrialSummary, *, is_submitted: bool) -> list[str]:
    """Return why the trial ended as it did, then overridden objections and faults of gates."""
    reasons = []
    is_interrupted = trial.state == "open" and (is_submitted or trial.score is not None)
    if is_interrupted:
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
