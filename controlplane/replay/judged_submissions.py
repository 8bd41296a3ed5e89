"""The submissions of a journal as they were judged, regained by running its trials again on the recorded results."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from agent.loop import Recording, RerunSettings, run_again
from agent.submission import GateSettings, SubmissionJudge, judging_modules
from controlplane.configuration.named_modules import load_packs
from controlplane.errors import ReplayDiverged
from controlplane.journal.journal_content import open_journal
from controlplane.replay.verification import check_walls_of, recording_of, replay_walls
from gates import ALL_GATES, Case, Judgement, Probe, ProbeReply, Submission
from gates.types import Evidence
from sandbox import ForkServer, Wall


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
    """What `verify` claimed, by whether it was asked with a blanked scratchpad; empty if it was not asked."""


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


@dataclass(frozen=True, slots=True)
class _ListeningGates(GateSettings):
    """Gates that keep what they judge."""

    heard: list[tuple[Submission, Evidence, Case, Judgement, dict[bool, ProbeReply]]] = field(default_factory=list)

    def judge(self, judging: SubmissionJudge, submission: Submission, evidence: Evidence, case: Case) -> Judgement:
        replies: dict[bool, ProbeReply] = {}
        probe = _Listener(submission.probe, replies) if submission.probe else None
        heard = replace(submission, probe=probe)
        judgement = GateSettings.judge(self, judging, heard, evidence, case)
        self.heard.append((submission, evidence, case, judgement, replies))
        return judgement


def submissions_of(path: Path) -> Iterator[JudgedSubmission]:
    """Yield every submission of the journal at `path`, trial by trial.

    Raises `NotAJournal`, `JournalDamaged`, `UsageError` if a wall is missing, and `ReplayDiverged` if a script makes
    other calls than it did.
    """
    with open_journal(path) as journal:
        packs, walls = journal.opened.packs, replay_walls()
        load_packs(packs)
        gates = GateSettings(ALL_GATES, packs)
        with ForkServer(judging_modules(packs)) as server:
            check_walls_of(journal, journal.trials, server, walls)
            for each in journal.trials.values():
                recording = recording_of(each)
                if recording is not None:
                    yield from _submissions_of_trial(recording, server, gates, walls, packs)


def _submissions_of_trial(
    recording: Recording, server: ForkServer, gates: GateSettings, walls: frozenset[Wall], packs: tuple[str, ...]
) -> Iterator[JudgedSubmission]:
    listening = _ListeningGates(gates.switched_on, gates.packs)
    trial, number = recording.trial, 0
    for step, _, differences in run_again(recording, server, RerunSettings(listening, walls=walls)):
        other_call = next((each for each in differences if each.field.startswith("calls")), None)
        if other_call is not None:
            msg = f"trial {trial.trial_id}, step {step.step}: recorded {other_call.recorded}, now {other_call.now}"
            raise ReplayDiverged(msg)
        for submission, evidence, case, judgement, replies in listening.heard:
            number += 1
            yield JudgedSubmission(
                trial_id=trial.trial_id,
                task_id=trial.task_id,
                step=step.step,
                number=number,
                packs=packs,
                submission=submission,
                evidence=evidence,
                case=case,
                judgement=judgement,
                replies=replies,
            )
        listening.heard.clear()
