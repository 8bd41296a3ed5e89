"""The submissions of a journal as they were judged, regained by running its scripts again on the recorded results.

Submissions of a solver without scripts are not regained: a journal holds what came of them, not all that was handed in.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from agent.events import SubmissionJudged
from agent.loop import Recording, RerunSettings, recorder_of, run_again
from agent.submission import GatedExit, GateSettings
from controlplane.configuration.named_modules import load_packs
from controlplane.errors import ReplayDiverged
from controlplane.journal.journal_content import read_journal
from controlplane.journal.journal_reader import read_events
from controlplane.journal.run_summary import RunSummary
from controlplane.replay.verification import recording_of
from gates import ALL_GATES, Case, Judgement, Probe, ProbeReply, Submission
from gates.evaluation import TrialOutcome
from gates.types import Evidence
from sandbox import ForkServer


@dataclass(frozen=True, slots=True)
class JudgedSubmission:
    """One submission with everything it was judged on."""

    trial_id: str
    task_id: str
    step: int
    number: int
    """Counts the submissions of the trial, from 1."""
    packs: tuple[str, ...]
    """The names of the rule packs that its run had."""
    submission: Submission
    evidence: Evidence
    case: Case
    judgement: Judgement
    """By today's gates."""
    replies: dict[bool, ProbeReply]
    """What `verify` claimed, by whether it was asked with a blanked scratchpad; empty where it was not asked."""


@dataclass(frozen=True, slots=True)
class _Listener:
    """A `verify` whose replies are kept."""

    probe: Probe
    replies: dict[bool, ProbeReply]

    @property
    def is_callable(self) -> bool:
        return self.probe.is_callable

    @property
    def takes_one_argument(self) -> bool:
        return self.probe.takes_one_argument

    def ask(self, blanked: bool) -> ProbeReply:
        self.replies[blanked] = self.probe.ask(blanked)
        return self.replies[blanked]


@dataclass(slots=True)
class _ListeningExit(GatedExit):
    """A gated exit that keeps what passes through it."""

    task_id: str = ""
    packs: tuple[str, ...] = ()
    heard: list[JudgedSubmission] = field(default_factory=list)

    def judge(self, submission: Submission) -> Judgement:
        replies: dict[bool, ProbeReply] = {}
        probe = _Listener(submission.probe, replies) if submission.probe else None
        case, evidence = self.case, self.recorder.evidence_log.view()
        judgement = GatedExit.judge(self, replace(submission, probe=probe))
        self.heard.append(
            JudgedSubmission(
                trial_id=self.recorder.trial_id,
                task_id=self.task_id,
                step=self.recorder.step,
                number=len(self.heard) + 1,
                packs=self.packs,
                submission=submission,
                evidence=evidence,
                case=case,
                judgement=judgement,
                replies=replies,
            )
        )
        return judgement


def outcomes_of(path: Path) -> list[TrialOutcome]:
    """Return how each trial of a journal ended and which gates rejected on the way, in the order of their start.

    Raises `NotAJournal`, `JournalDamaged`.
    """
    summary = RunSummary()
    rejected: dict[str, list[str]] = {}
    for event in read_events(path):
        summary.fold(event)
        if isinstance(event, SubmissionJudged):
            rejected.setdefault(event.trial_id, []).extend(
                f"{each.gate} {each.name}" if each.gate else each.name for each in event.judged.rejections
            )
    return [
        TrialOutcome(
            task_id=each.task_id,
            score=each.score,
            answer=(each.answer, each.outcome, each.refs) if each.outcome else None,
            rejected_by=tuple(rejected.get(each.trial_id, ())),
        )
        for each in summary.trials.values()
    ]


def submissions_of(path: Path) -> Iterator[JudgedSubmission]:
    """Yield every submission that a script of the journal at `path` made, trial by trial.

    Raises `NotAJournal`, `JournalDamaged`, and `ReplayDiverged` where a script makes other calls than it did.
    """
    content = read_journal(path)
    packs = content.opened.packs
    settings = RerunSettings(GateSettings(ALL_GATES, load_packs(packs)))
    with ForkServer() as server:
        for trial_id, record in content.records.items():
            recording = recording_of(trial_id, record)
            if recording is not None:
                yield from _submissions_of_trial(recording, server, settings, packs)


def _submissions_of_trial(
    recording: Recording, server: ForkServer, settings: RerunSettings, packs: tuple[str, ...]
) -> list[JudgedSubmission]:
    recorder = recorder_of(recording)
    gated = _ListeningExit(recorder, lambda event: None, recording.instruction, settings.gates)
    gated.task_id, gated.packs = recording.task_id, packs
    for step, _ in run_again(recording, gated, server, settings):
        found = recorder.divergence
        if found is not None:
            msg = f"trial {recorder.trial_id}, step {step.step}: recorded {found.recorded}, now {found.made}"
            raise ReplayDiverged(msg)
    return gated.heard
