"""The embedded benchmark as the control plane sees it: poses trials, grades them, and sums a run up.

It stores nothing outside this process: a trial's id is enough to start it again elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from secrets import token_hex
from threading import RLock
from typing import Final

from agent.model import Model
from benchmarks.ecom.identifiers import WORLD_VERSION, RunId, TrialId
from benchmarks.ecom.runtime.shop_environment import AIDE_MODULES, EcomEnvironment
from benchmarks.ecom.tasks.families import family_names
from benchmarks.ecom.tasks.grader import grade
from benchmarks.ecom.tasks.posing import hint, is_task_id, pose_task, task_ids
from benchmarks.ecom.tasks.task import Truth
from benchmarks.ecom.world.generator import DEFAULTS
from benchmarks.ecom.world.profiles import WorldSettings
from controlplane import (
    BenchmarkContext,
    BenchmarkError,
    BenchmarkOption,
    Description,
    OpenedBenchmark,
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
PROFILE_NAMES: Final = ("prod", "dev", "hard")
NAMES: Final = ("mixed", "own", "public", "random")
OPTIONS: Final = (
    BenchmarkOption("policy", "blind seals scores until a submitted run is polled", ("open", "blind")),
    BenchmarkOption("profile", "how hard the worlds are: dev has SQL, hard has traps and cuts listings", PROFILE_NAMES),
    BenchmarkOption("names", "the vocabulary of the worlds; public is that of the public benchmark", NAMES),
    BenchmarkOption("wordings", "one half of all wordings of documents, or both", ("mixed", "known", "unseen")),
)
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
    """What this process knows about a run."""

    allotted: tuple[str, ...] = ()
    """The trials of a run that began here; empty for one that began in another process."""
    scores: dict[str, TrialScore] = field(default_factory=dict)
    state: RunState = RunState.RUNNING


def open_benchmark(argument: str, settings: Mapping[str, str], context: BenchmarkContext) -> OpenedBenchmark:
    """Open the benchmark. Raises `BenchmarkError` for an argument."""
    del context
    if argument:
        raise BenchmarkError(INVALID, f"the embedded benchmark takes no argument, got {NAME}:{argument}")
    chosen = WorldSettings(**{key: value for key, value in settings.items() if key != "policy"})
    benchmark = EcomBenchmark(settings.get("policy", "open"), chosen)
    sealed = "its sealed scores stay in the process that ends a trial; add --set policy=open"
    return OpenedBenchmark(
        benchmark,
        aide_modules=AIDE_MODULES,
        ended_elsewhere=benchmark.take_score,
        stays_here=sealed if benchmark.policy == "blind" else "",
        world_version=WORLD_VERSION,
        rebuilds_trials=True,
    )


class EcomBenchmark:
    """The embedded benchmark. With the policy `blind`, scores stay sealed until somebody asks after the submit."""

    def __init__(self, policy: str = "open", settings: WorldSettings = DEFAULTS) -> None:
        self.policy = policy
        self.settings = settings
        self._lock = RLock()
        self._open: dict[str, _OpenTrial] = {}
        self._runs: dict[str, _Run] = {}

    def describe(self, preview_seed: int | None = None) -> Description:
        """Return name, policy and tasks, with the instructions of each task's first try; a blind task has no hint."""
        heads = tuple(
            TaskHead(each, self._preview(each, preview_seed), "" if self.policy == "blind" else hint(each))
            for each in task_ids()
        )
        return Description(
            NAME,
            f"a simulated shop: {len(heads)} tasks in {len(family_names())} families, another world for every trial",
            heads,
            policy=self.policy,
            rule_packs=("ecom",),
            numbered_families=family_names(),
        )

    def start_run(self, request: RunRequest) -> StartedRun:
        """Make a trial for each try."""
        token = token_hex(4)
        trials = [
            TrialId(each.task_id, each.number, request.seed, self.settings.profile, token, each.copy)
            for each in request.tries
        ]
        heads = tuple(TrialHead(str(each), each.task_id) for each in trials)
        with self._lock:
            self._runs[token] = _Run(tuple(head.trial_id for head in heads))
        return StartedRun(str(RunId(request.seed, len(trials), token)), heads)

    def start_trial(self, trial_id: str) -> Trial:
        """Pose a trial; a second start returns the same one. Raises `BenchmarkError` for an ended or unknown trial."""
        parsed = _trial_id(trial_id)
        started = self._started(parsed)
        if started is not None:
            return replace(started.trial, is_fresh=False)
        settings = replace(self.settings, profile=parsed.profile)
        posed = pose_task(parsed.task_id, parsed.world_seed, settings)
        environment = EcomEnvironment(posed.world.workspace())
        trial = Trial(trial_id, parsed.task_id, posed.instruction, environment, environment.use_aide)
        with self._lock:
            started = self._started(parsed)
            if started is None:
                started = self._open[trial_id] = _OpenTrial(trial, environment, posed.truth)
            return started.trial

    def end_trial(self, trial_id: str) -> TrialScore | None:
        """Grade a trial and release its world; the score is None if the policy seals it."""
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

    def take_score(self, score: TrialScore) -> None:
        """Take the score of a trial that ended in another process."""
        with self._lock:
            self._run(_trial_id(score.trial_id).token).scores.setdefault(score.trial_id, score)

    def submit_run(self, run_id: str, *, force: bool) -> RunResult:
        """Close the run. Raises `BenchmarkError` if trials are open, unless `force` is given."""
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
        """Return what is known about a run; asking for a submitted blind run reveals its scores."""
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
        """Release every trial that is still open."""
        with self._lock:
            for each in self._open.values():
                each.environment.close()
            self._open.clear()

    def _preview(self, task_id: str, seed: int | None) -> str:
        if seed is None:
            return ""
        return pose_task(task_id, TrialId(task_id, 0, seed, "", "").world_seed, self.settings).instruction

    def _started(self, trial_id: TrialId) -> _OpenTrial | None:
        """Return the trial if it is open, None if it is new. Raises `BenchmarkError` if it has ended."""
        with self._lock:
            if str(trial_id) in self._run(trial_id.token).scores:
                raise BenchmarkError(FAILED_PRECONDITION, f"trial {trial_id} has ended already")
            return self._open.get(str(trial_id))

    def _run(self, token: str) -> _Run:
        return self._runs.setdefault(token, _Run())

    def _result(self, run_id: RunId, run: _Run) -> RunResult:
        """Return the run's scores. The run's own score is the mean, None if trials ended in another process."""
        known = [run.scores[each] for each in run.allotted if each in run.scores] or list(run.scores.values())
        if self.policy == "blind" and run.state is not RunState.EVALUATED:
            known = [TrialScore(each.trial_id, None) for each in known]
        scores = [each.score for each in known if each.score is not None]
        is_whole = run.state is RunState.EVALUATED and len(scores) == run_id.trials
        return RunResult(str(run_id), run.state, sum(scores) / len(scores) if is_whole else None, tuple(known))


def _trial_id(text: str) -> TrialId:
    parsed = TrialId.parse(text)
    if parsed is None or parsed.profile not in PROFILE_NAMES or not is_task_id(parsed.task_id):
        raise BenchmarkError(NOT_FOUND, f"{text!r} is no trial of {NAME}")
    return parsed


def _run_id(text: str) -> RunId:
    parsed = RunId.parse(text)
    if parsed is None:
        raise BenchmarkError(NOT_FOUND, f"{text!r} is no run of {NAME}")
    return parsed
