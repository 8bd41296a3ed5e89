"""Judges recorded submissions by today's gates: finds answers that they stop or accept and the run's gates did not.

The trials run again on the recorded results. A submission has a score if it is the graded answer: same message, outcome
and citations.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

from controlplane.agent.events import Judged, VerdictRecord
from controlplane.agent.loop import Recording, RerunSettings, run_again
from controlplane.agent.second_reader import AskReader, review_of
from controlplane.agent.submission import GateSettings, judging_modules
from controlplane.errors import ReplayDiverged
from controlplane.gates.evidence import Evidence
from controlplane.gates.submission import VERIFY_GATE, Case, Judgement, Submission
from controlplane.journal.journal_reader import Journal, RecordedTrial
from controlplane.replay.verification import recording_of, replay_isolation
from controlplane.sandbox import Ending, ForkServer, Layer, Worker
from controlplane.score_statistics import PASSED


@dataclass(frozen=True, slots=True)
class _ListeningGates(GateSettings):
    """Gates that keep their judgements of one trial. Every objection counts as the first of its rule."""

    recorded: Sequence[Judged] = field(kw_only=True)
    """The recorded judgements of its submissions, in order."""
    heard: list[Judged] = field(default_factory=list)
    ask: AskReader | None = None
    """Asks the model of a second reader, which reads the accepted answers."""

    def judge(
        self,
        worker: Worker | None,
        submission: Submission,
        evidence: Evidence,
        case: Case,
        put: Mapping[str, Sequence[str]],
    ) -> Judgement:
        if len(self.heard) == len(
            self.recorded
        ):  # More submissions than recorded: the rerun reports it.
            return GateSettings.judge(self, worker, submission, evidence, case, put)
        recorded = self.recorded[len(self.heard)]
        was_asked = (VERIFY_GATE, "skipped") not in {
            (verdict.gate, verdict.result) for verdict in recorded.verdicts
        }
        probe = submission.probe
        if (
            probe is not None and not was_asked
        ):  # It would make calls that the record lacks: assume that it says yes.
            submission = replace(
                submission, probe=probe._replace(ask=lambda is_blank: (not is_blank, ""))
            )
        judgement = GateSettings.judge(self, worker, submission, evidence, case, {})
        if not was_asked and submission.probe:
            verdicts = (
                replace(
                    verdict,
                    result="skipped",
                    reason="its verify was not asked then, so what it says is not known",
                )
                if (verdict.gate, verdict.result) == (VERIFY_GATE, "pass")
                else verdict
                for verdict in judgement.verdicts
            )
            judgement = replace(judgement, verdicts=tuple(verdicts))
        if self.ask is not None and recorded.accepted and judgement.accepted:
            judgement = self.reviewed(judgement, review_of(self.ask, submission, evidence, case))
        self.heard.append(Judged.of(judgement, submission, after_calls=0))
        return judgement


Effect: TypeAlias = Literal["stopped", "let through", "other verdicts", "as before"]


@dataclass(frozen=True, slots=True)
class VerdictChange:
    """A changed verdict of one gate or rule."""

    gate: int
    """1 to 8; 0 for a rule of a rule set."""
    name: str
    before: str
    """`pass`, `reject`, `not_applicable`, `skipped`, or `absent`."""
    after: str
    """As `before`."""
    reason_before: str
    reason_after: str


@dataclass(frozen=True, slots=True)
class Rejudged:
    """One submission with its recorded and today's judgement."""

    run: str
    trial_id: str
    task_id: str
    step: int
    number: int
    """Counts the submissions of the trial, from 1."""
    effect: Effect
    score: float | None
    """The grader's score of this answer; None if it was not graded or is sealed."""
    answer: str
    outcome: str
    refs: tuple[str, ...]
    changes: tuple[VerdictChange, ...]
    rejected_before: tuple[str, ...]
    """The enforced gates and rules that rejected it then, as `6 outcome class` or `RULE_SET/RULE`."""
    rejected_after: tuple[str, ...]

    @property
    def is_right(self) -> bool | None:
        """True if the grader found it right; None if unknown."""
        return None if self.score is None else self.score >= PASSED


@dataclass(frozen=True, slots=True)
class GateTally:
    """Changed judgements of one gate or rule."""

    name: str
    stops_right: int
    stops_wrong: int
    stops_unscored: int
    rejects_no_more: int


def rejudged(
    journal: Journal,
    gates: GateSettings,
    on_diverged: Callable[[ReplayDiverged], None] | None = None,
    *,
    ask: AskReader | None = None,
) -> Iterator[Rejudged]:
    """Yield each submission of a journal as recorded and as `gates` judge it.

    Submissions of a step that the sandbox ended are left out: how far the step got depends on the machine. Raises
    `UsageError` if a layer is missing or a rule set unknown, and `ReplayDiverged` if a script makes other calls than it
    did; `on_diverged` gets that error instead, and the trial's other submissions are left out. With `ask`, a second
    reader reads the accepted answers.
    """
    isolation = replay_isolation()
    with ForkServer(judging_modules(gates.rule_sets)) as server:
        for trial in journal.trials.values():
            if (recording := recording_of(trial, server, isolation)) is None:
                continue
            try:
                yield from _rejudged_trial(trial, recording, server, gates, isolation, ask)
            except ReplayDiverged as error:
                if on_diverged is None:
                    raise
                on_diverged(error)


def _rejudged_trial(
    trial: RecordedTrial,
    recording: Recording,
    server: ForkServer,
    gates: GateSettings,
    isolation: frozenset[Layer],
    ask: AskReader | None,
) -> Iterator[Rejudged]:
    steps = [
        step for step in recording.record.steps if step.ending not in (Ending.LIMIT, Ending.KILLED)
    ]
    recorded = [judged for step in steps for judged in step.verdicts]
    numbers = [step.step for step in steps for _ in step.verdicts]
    listening, yielded = (
        _ListeningGates(gates.policy, gates.rule_sets, recorded=recorded, ask=ask),
        0,
    )
    settings = RerunSettings(listening, isolation=isolation)
    for differences in run_again(recording, server, settings):
        for difference in differences:
            if difference.field.startswith("calls"):
                msg = (
                    f"trial {trial.trial_id}, step {difference.step}: "
                    f"recorded {difference.recorded}, now {difference.now}"
                )
                raise ReplayDiverged(msg)
        for number in range(yielded, len(listening.heard)):
            yield _compared(
                trial, numbers[number], number + 1, recorded[number], listening.heard[number]
            )
        yielded = len(listening.heard)


def _compared(
    recorded: RecordedTrial, step: int, number: int, before: Judged, after: Judged
) -> Rejudged:
    trial = recorded.summary
    changes = tuple(_changes(before.verdicts, after.verdicts))
    effect: Effect = "other verdicts" if changes else "as before"
    # Objections count as their rule's first, although the answer was accepted over them.
    passed = before.accepted and not before.overridden
    if passed != after.accepted:
        effect = "stopped" if passed else "let through"
    was_graded = (before.answer, before.outcome, before.refs) == (
        trial.answer,
        trial.outcome,
        trial.refs,
    )
    return Rejudged(
        run=recorded.journal.run,
        trial_id=trial.trial_id,
        task_id=trial.task_id,
        step=step,
        number=number,
        effect=effect,
        score=trial.score if was_graded else None,
        answer=before.answer,
        outcome=before.outcome,
        refs=before.refs,
        changes=changes,
        rejected_before=tuple(map(verdict_name, (*before.rejections, *before.overridden))),
        rejected_after=tuple(map(verdict_name, after.rejections)),
    )


def _changes(
    before: Iterable[VerdictRecord], after: Iterable[VerdictRecord]
) -> Iterator[VerdictChange]:
    then, now = (
        {(verdict.gate, verdict.name): verdict for verdict in verdicts}
        for verdicts in (before, after)
    )
    for key in dict.fromkeys((*now, *then)):
        pairs = [
            (verdicts_by_key[key].result, verdicts_by_key[key].reason)
            if key in verdicts_by_key
            else ("absent", "")
            for verdicts_by_key in (then, now)
        ]
        # An objection to an accepted answer counts as the first of its rule.
        results = ["reject" if result == "overridden" else result for result, _ in pairs]
        if results[0] != results[1] and "reject" in results:
            yield VerdictChange(*key, *results, *(reason for _, reason in pairs))


def verdict_name(verdict: VerdictRecord | VerdictChange) -> str:
    return f"{verdict.gate} {verdict.name}" if verdict.gate else verdict.name


def tallies(submissions: Iterable[Rejudged]) -> tuple[GateTally, ...]:
    """Return, by gate and rule, the accepted answers that it stops today, and its dropped rejections."""
    counts: Counter[tuple[str, bool | str | None]] = Counter()
    for submission in submissions:
        if submission.effect == "stopped":
            counts.update((name, submission.is_right) for name in submission.rejected_after)
        counts.update(
            (name, "no more")
            for name in {*submission.rejected_before} - {*submission.rejected_after}
        )
    names = sorted({name for name, _ in counts})
    return tuple(
        GateTally(name, *(counts[name, what] for what in (True, False, None, "no more")))
        for name in names
    )
