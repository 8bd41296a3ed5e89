"""The embedded benchmark as the control plane sees it: it poses trials, grades them, and sums a run up.

It keeps nothing outside this process: a trial's id says everything that is needed to start it again elsewhere.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from secrets import token_hex
from threading import RLock
from typing import Final

from agent.model import Model
from benchmarks.ecom.identifiers import RunId, TrialId
from benchmarks.ecom.runtime.shop_environment import EcomEnvironment
from benchmarks.ecom.tasks.families import family_names, hint, pose_task, task_ids
from benchmarks.ecom.tasks.grader import grade
from benchmarks.ecom.tasks.task import Truth
from controlplane import (
    BenchmarkError,
    Description,
    RunRequest,
    RunResult,
    RunState,
    StartedRun,
    TaskHead,
    Trial,
    TrialHead,
    TrialScore,
)

NAME: Final = "ecom"
POLICIES: Final = ("open", "blind")
INVALID: Final = "invalid_argument"
NOT_FOUND: Final = "not_found"
FAILED_PRECONDITION: Final = "failed_precondition"
FORCED: Final = "forced close"


@dataclass(slots=True)
class _OpenTrial:
    """A trial that has started and not ended."""

    trial: Trial
    environment: EcomEnvironment
    truth: Truth


@dataclass(slots=True)
class _Run:
    """What this process knows of a run."""

    allotted: tuple[str, ...] = ()
    """The trials of a run that began here; empty for one that began elsewhere."""
    scores: dict[str, TrialScore] = field(default_factory=dict)
    state: RunState = RunState.RUNNING


def read_settings(argument: str, settings: Mapping[str, str]) -> str:
    """Return the policy that the settings ask for. Raises `BenchmarkError` for what this benchmark does not have."""
    if argument:
        raise BenchmarkError(INVALID, f"the embedded benchmark takes no argument, got {NAME}:{argument}")
    for key in settings:
        if key != "policy":
            raise BenchmarkError(INVALID, f"{NAME} has no setting {key!r}{_nearest(key, ('policy',))}; it has: policy")
    policy = settings.get("policy", "open")
    if policy not in POLICIES:
        raise BenchmarkError(INVALID, f"policy {policy!r} is none of {', '.join(POLICIES)}{_nearest(policy, POLICIES)}")
    return policy


def _nearest(word: str, known: tuple[str, ...]) -> str:
    close = difflib.get_close_matches(word, known, n=1, cutoff=0.4)
    return f"; did you mean {close[0]!r}?" if close else ""


class EcomBenchmark:
    """The embedded benchmark. With the policy `blind`, scores stay sealed until somebody asks after the submit."""

    def __init__(self, policy: str = "open") -> None:
        self.policy = policy
        self._lock = RLock()
        self._open: dict[str, _OpenTrial] = {}
        self._runs: dict[str, _Run] = {}

    def describe(self) -> Description:
        """Return name, policy and tasks. A preview comes from a world that no trial has; a blind task has no hint."""
        heads = tuple(
            TaskHead(each, pose_task(each, f"preview|{each}").instruction, "" if self.policy == "blind" else hint(each))
            for each in task_ids()
        )
        return Description(
            NAME,
            f"a simulated shop: {len(heads)} tasks in {len(family_names())} families, another world for every trial",
            heads,
            policy=self.policy,
            rule_packs=("ecom",),
        )

    def start_run(self, request: RunRequest) -> StartedRun:
        """Allot one trial per task and repeat. Raises `BenchmarkError` for unknown tasks and impossible counts."""
        for what, count in (("repeats", request.repeats), ("limit", request.limit)):
            if count is not None and count < 1:
                raise BenchmarkError(INVALID, f"{what} must be at least 1, got {count}")
        chosen = _tasks(request.tasks)
        token = token_hex(4)
        trials = [
            TrialId(task_id, repeat, request.seed, token) for repeat in range(request.repeats) for task_id in chosen
        ][: request.limit]
        run_id = str(RunId(request.seed, len(trials), token))
        heads = tuple(TrialHead(str(each), each.task_id) for each in trials)
        with self._lock:
            self._runs[token] = _Run(tuple(head.trial_id for head in heads))
        return StartedRun(run_id, heads)

    def start_trial(self, trial_id: str) -> Trial:
        """Pose a trial; a second start gives the same one. Raises `BenchmarkError` for an ended or unknown trial."""
        parsed = _trial_id(trial_id)
        started = self._started(parsed)
        if started is not None:
            return replace(started.trial, is_fresh=False)
        posed = pose_task(parsed.task_id, parsed.world_seed)
        environment = EcomEnvironment(posed.world.workspace())
        trial = Trial(trial_id, parsed.task_id, posed.instruction, environment)
        with self._lock:
            started = self._started(parsed)
            if started is None:
                started = self._open[trial_id] = _OpenTrial(trial, environment, posed.truth)
            return started.trial

    def end_trial(self, trial_id: str) -> TrialScore | None:
        """Grade a trial and let go of its world; the score is None where the policy seals it."""
        parsed = _trial_id(trial_id)
        with self._lock:
            started = self._open.pop(trial_id, None)
            scores = self._run(parsed.token).scores
            if started is not None:
                started.environment.close()
                result = grade(started.truth, started.environment)
                scores[trial_id] = TrialScore(trial_id, result.score, result.details)
            elif trial_id not in scores:
                raise BenchmarkError(FAILED_PRECONDITION, f"trial {trial_id} has not been started")
            return scores[trial_id] if self.policy == "open" else None

    def submit_run(self, run_id: str, *, force: bool) -> RunResult:
        """Close the run. Raises `BenchmarkError` where trials are open and `force` is not given."""
        parsed = _run_id(run_id)
        with self._lock:
            run = self._run(parsed.token)
            left = [each for each in run.allotted if each not in run.scores]
            left += [each for each in self._open if _trial_id(each).token == parsed.token and each not in left]
            if left and not force and run.state is RunState.RUNNING:
                raise BenchmarkError(FAILED_PRECONDITION, f"{len(left)} trials have not ended, the first is {left[0]}")
            for trial_id in left:
                started = self._open.pop(trial_id, None)
                if started is not None:
                    started.environment.close()
                run.scores[trial_id] = TrialScore(trial_id, 0.0, (FORCED,))
            if run.state is RunState.RUNNING:
                run.state = RunState.EVALUATED if self.policy == "open" else RunState.PENDING
            return self._result(parsed, run)

    def get_run(self, run_id: str) -> RunResult:
        """Return what is known of a run; asking for a submitted blind run reveals its scores."""
        parsed = _run_id(run_id)
        with self._lock:
            run = self._run(parsed.token)
            if run.state is RunState.PENDING:
                run.state = RunState.EVALUATED
            return self._result(parsed, run)

    def player(self) -> Model | None:
        """Return the player by rules that comes with this benchmark."""
        from benchmarks.ecom.player import Player

        return Player()

    def close(self) -> None:
        """Let go of every trial that is still open."""
        with self._lock:
            for each in self._open.values():
                each.environment.close()
            self._open.clear()

    def _started(self, trial_id: TrialId) -> _OpenTrial | None:
        """Return the trial where it is open, None where it is new. Raises `BenchmarkError` where it has ended."""
        with self._lock:
            if str(trial_id) in self._run(trial_id.token).scores:
                raise BenchmarkError(FAILED_PRECONDITION, f"trial {trial_id} has ended already")
            return self._open.get(str(trial_id))

    def _run(self, token: str) -> _Run:
        return self._runs.setdefault(token, _Run())

    def _result(self, run_id: RunId, run: _Run) -> RunResult:
        """Return the run's scores. Its own score is the mean, None where trials ended in another process."""
        known = [run.scores[each] for each in run.allotted if each in run.scores] or list(run.scores.values())
        if self.policy == "blind" and run.state is not RunState.EVALUATED:
            known = [TrialScore(each.trial_id, None) for each in known]
        scores = [each.score for each in known if each.score is not None]
        is_whole = run.state is RunState.EVALUATED and len(scores) == run_id.trials
        return RunResult(str(run_id), run.state, sum(scores) / len(scores) if is_whole else None, tuple(known))


def _tasks(wanted: tuple[str, ...]) -> list[str]:
    """Return the task ids that a request names, the families taking turns. Raises `BenchmarkError` for unknown ones."""
    every = task_ids()
    for name in wanted:
        if name not in every and name not in family_names():
            known = (*family_names(), *every)
            raise BenchmarkError(INVALID, f"unknown task {name!r}{_nearest(name, known)}")
    return [each for each in every if not wanted or each in wanted or each.rpartition(".")[0] in wanted]


def _trial_id(text: str) -> TrialId:
    parsed = TrialId.parse(text)
    if parsed is None or parsed.task_id not in task_ids():
        raise BenchmarkError(NOT_FOUND, f"{text!r} is no trial of {NAME}")
    return parsed


def _run_id(text: str) -> RunId:
    parsed = RunId.parse(text)
    if parsed is None:
        raise BenchmarkError(NOT_FOUND, f"{text!r} is no run of {NAME}")
    return parsed
