"""The submissions of a journal as they were judged, regained by running its trials again on the recorded results."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from agent.events import Judged
from agent.loop import Recording, RerunSettings, TrialContext, run_again
from agent.submission import GateSettings, SubmissionJudge, judging_modules
from controlplane.configuration.named_modules import load_packs
from controlplane.errors import ReplayDiverged
from controlplane.journal.journal_content import Journal, open_journal
from controlplane.replay.verification import check_walls_of, recording_of, replay_walls
from gates.evidence import Evidence
from gates.judging import VERIFY_GATE
from gates.submission import Case, Probe, ProbeReply, Submission
from gates.verdict import GatePolicy, Judgement, Verdict
from sandbox import Ending, ForkServer, Wall

NOT_ASKED: Final = "its verify was not asked then, so what it says is not known"


@dataclass(frozen=True, slots=True)
class JudgedSubmission:
    """One submission with everything it was judged on."""

    trial_id: str
    task_id: str
    number: int
    """Counts the submissions of the trial, from 1."""
    step: int
    packs: tuple[str, ...]
    """The names of the rule packs that it is judged by."""
    submission: Submission
    evidence: Evidence
    case: Case
    judgement: Judgement
    """By today's gates."""
    recorded: Judged
    """What was said about it then."""
    replies: dict[bool, ProbeReply]
    """What `verify` claimed, by whether it was asked with a blanked scratchpad; empty if it was not asked."""


@dataclass(frozen=True, slots=True)
class _AssumedReply:
    """What a `verify` that nobody asked is taken to say."""

    says_yes: bool
    error: str = ""


@dataclass(frozen=True, slots=True)
class _Listener:
    """A `verify` whose replies are kept. One that was not asked then would make calls that the record does not hold, so
    it is taken to say yes."""

    probe: Probe
    replies: dict[bool, ProbeReply]
    was_asked: bool

    @property
    def is_callable(self) -> bool:
        return self.probe.is_callable

    @property
    def takes_one_argument(self) -> bool:
        return self.probe.takes_one_argument

    def ask(self, blanked: bool) -> ProbeReply:
        if not self.was_asked:
            return _AssumedReply(says_yes=not blanked)
        self.replies[blanked] = self.probe.ask(blanked)
        return self.replies[blanked]


@dataclass(frozen=True, slots=True)
class _ListeningGates(GateSettings):
    """Gates that keep what they judge of one trial. Every objection counts as the first one of its rule."""

    trial: TrialContext = field(kw_only=True)
    recorded: Sequence[tuple[int, Judged]] = field(kw_only=True)
    """What its submissions were said to be, in their order, each with its step."""
    heard: list[JudgedSubmission] = field(default_factory=list)

    def judge(
        self, judging: SubmissionJudge, submission: Submission, evidence: Evidence, case: Case, put: Mapping[str, int]
    ) -> Judgement:
        number = len(self.heard)
        if number == len(self.recorded):  # One more than then: the rerun tells.
            return GateSettings.judge(self, judging, submission, evidence, case, put)
        (step, recorded), replies = self.recorded[number], dict[bool, ProbeReply]()
        was_asked = not any(each.gate == VERIFY_GATE and each.result == "skipped" for each in recorded.verdicts)
        probe = _Listener(submission.probe, replies, was_asked) if submission.probe else None
        judgement = GateSettings.judge(self, judging, replace(submission, probe=probe), evidence, case, {})
        if not was_asked and submission.probe:
            judgement = replace(judgement, verdicts=tuple(map(_unknown_verify, judgement.verdicts)))
        of_trial = (self.trial.trial_id, self.trial.task_id, number + 1, step, self.packs)
        self.heard.append(JudgedSubmission(*of_trial, submission, evidence, case, judgement, recorded, replies))
        return judgement


def _unknown_verify(verdict: Verdict) -> Verdict:
    if verdict.gate != VERIFY_GATE or verdict.result != "pass":
        return verdict
    return replace(verdict, result="skipped", reason=NOT_ASKED)


def submissions_of(path: Path, packs: tuple[str, ...] = ()) -> Iterator[JudgedSubmission]:
    """Yield every submission of the journal at `path`, trial by trial, judged by all gates and by the rules of `packs`,
    or of its run's packs if none are named.

    Raises what opening the journal and `submissions_in` raise.
    """
    with open_journal(path) as journal:
        yield from submissions_in(journal, GateSettings(GatePolicy(), packs or journal.opened.packs))


def submissions_in(
    journal: Journal, gates: GateSettings, on_diverged: Callable[[ReplayDiverged], None] | None = None
) -> Iterator[JudgedSubmission]:
    """Yield every submission of a journal, trial by trial, judged by `gates`.

    Submissions of a step that a wall ended are left out: how far it came depends on the machine. Raises `UsageError` if
    a wall is missing or a pack unknown, and `ReplayDiverged` if a script makes other calls than it did; with
    `on_diverged`, that is told and the trial's other submissions are left out.
    """
    walls = replay_walls()
    load_packs(gates.packs)
    with ForkServer(judging_modules(gates.packs)) as server:
        check_walls_of(journal, journal.trials, server, walls)
        for each in journal.trials.values():
            recording = recording_of(each)
            if recording is None:
                continue
            try:
                yield from _submissions_of_trial(recording, server, gates, walls)
            except ReplayDiverged as error:
                if on_diverged is None:
                    raise
                on_diverged(error)


def _submissions_of_trial(
    recording: Recording, server: ForkServer, gates: GateSettings, walls: frozenset[Wall]
) -> Iterator[JudgedSubmission]:
    steps = (each for each in recording.record.steps if each.ending not in (Ending.LIMIT, Ending.KILLED))
    recorded = [(step.step, judged) for step in steps for judged in step.verdicts]
    trial, told = recording.trial, 0
    listening = _ListeningGates(gates.policy, gates.packs, trial=trial, recorded=recorded)
    for step, _, differences in run_again(recording, server, RerunSettings(listening, walls=walls)):
        other_call = next((each for each in differences if each.field.startswith("calls")), None)
        if other_call is not None:
            msg = f"trial {trial.trial_id}, step {step.step}: recorded {other_call.recorded}, now {other_call.now}"
            raise ReplayDiverged(msg)
        yield from listening.heard[told:]
        told = len(listening.heard)
