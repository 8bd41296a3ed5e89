"""The control plane's service over any `Benchmark`: runs, trials and scores in the platform's form."""

from __future__ import annotations

import hmac
import time
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final

from pydantic.alias_generators import to_snake

from benchmarks.bitgn.server.served_runs import BLIND, ServedRun, ServedRuns, ServedTasks, ServedTrial, ServerOptions
from benchmarks.bitgn.server.wire_codec import Method, Methods, Refused, Target, as_json
from benchmarks.bitgn.wire.proto import harness_pb2 as pb
from controlplane import Benchmark, BenchmarkError, RunResult, RunState, TrialScore, start_selected_run
from sandbox import Aide, ForkServer
from sandbox.interface import error_codes

TRIAL_PREFIX: Final = "/trials/"
PLATFORM_IDS: Final = "bitgn/"
"""Ids with this prefix are served as well, because clients of the platform often have one in their code."""
NAME_CHARS: Final = 200
"""Characters of a run's name, and of a benchmark's id, that are kept."""
FORCED_CLOSE: Final = "forced close"
NO_ANSWER: Final = "no answer provided"
POLICIES: Final = {"open": pb.EVAL_POLICY_OPEN, "blind": pb.EVAL_POLICY_BLIND}
DESCRIBED: Final = pb.DESCRIPTOR.services_by_name["HarnessService"]
SUBJECTS: Final = {"SubmitRun": "run_id", "StartTrial": "trial_id", "EndTrial": "trial_id"}
"""The methods that are handled one at a time for each value of a field of their requests."""


class HarnessService:
    """Handles calls about runs and trials, from many threads at once, but one at a time for each run and trial."""

    def __init__(self, benchmark: Benchmark, options: ServerOptions, server: ForkServer | None = None) -> None:
        """`server` makes an aide for every trial whose environment uses one."""
        self.runs = ServedRuns(end=self._end_run)
        self._benchmark = benchmark
        self._server = server
        self._options = options
        self._description = benchmark.describe(preview_seed=options.seed)
        self._tasks = ServedTasks(self._description, options.selection)

    def methods(self) -> Methods:
        """Return the service's methods by name."""

        def method(name: str) -> Method:
            work, subject = getattr(self, to_snake(name)), SUBJECTS.get(name)
            return Method(
                DESCRIBED.methods_by_name[name],
                lambda message, target: as_json(work(message, target)),
                lambda message, _: getattr(message, subject) if subject else "",
            )

        return {name: method(name) for name in DESCRIBED.methods_by_name}

    def status(self, request: pb.StatusRequest, target: Target) -> pb.StatusResponse:
        """Say that the server answers."""
        return pb.StatusResponse(status="ok", version=self._description.name)

    def get_benchmark(self, request: pb.GetBenchmarkRequest, target: Target) -> pb.GetBenchmarkResponse:
        """Return the served benchmark's policy and tasks; hints only if its policy is open."""
        self._check_benchmark(request.benchmark_id)
        known = self._description
        is_blind = self._options.policy == BLIND
        tasks = [
            pb.GetBenchmarkResponse.Task(task_id=task.task_id, preview=task.preview, hint="" if is_blind else task.hint)
            for task in self._tasks.heads
        ]
        return pb.GetBenchmarkResponse(
            benchmark_id=request.benchmark_id,
            description=known.summary,
            harness_id=known.name,
            policy=self._policy(),
            tasks=tasks,
        )

    def start_run(self, request: pb.StartRunRequest, target: Target) -> pb.StartRunResponse:
        """Start a run for a client with the key."""
        self._check_benchmark(request.benchmark_id)
        key = self._options.api_key
        if key and not hmac.compare_digest(request.api_key.encode(), key.encode()):
            raise Refused(error_codes.UNAUTHENTICATED, "the api_key is not valid")
        options = self._options
        started = start_selected_run(self._benchmark, options.selection, name=request.name, seed=options.seed)
        heads = tuple(replace(head, task_id=self._tasks.wire_id(head.task_id)) for head in started.trials)
        run = self.runs.add(replace(started, trials=heads), request.benchmark_id, request.name[:NAME_CHARS])
        trial_ids = [trial.trial_id for trial in run.trials]
        return pb.StartRunResponse(run_id=run.run_id, benchmark_id=run.benchmark_id, trial_ids=trial_ids)

    def start_playground(self, request: pb.StartPlaygroundRequest, target: Target) -> pb.StartPlaygroundResponse:
        """Refuse: the platform no longer has single trials outside a run."""
        raise Refused(error_codes.UNIMPLEMENTED, "StartPlayground is deprecated; start a run")

    def start_trial(self, request: pb.StartTrialRequest, target: Target) -> pb.StartTrialResponse:
        """Start a trial; for a running trial, return it again."""
        trial = self.runs.trial(request.trial_id)
        if not trial.is_open:
            raise Refused(error_codes.FAILED_PRECONDITION, f"trial {trial.trial_id} has already ended")
        if trial.environment is None:
            started = self._benchmark.start_trial(trial.own_id)
            trial.task_id = self._tasks.wire_id(started.task_id)
            trial.instruction = started.instruction
            if self._server is not None and started.use_aide is not None:
                trial.aide = Aide(self._server)
                started.use_aide(trial.aide)
            trial.environment = started.environment
            trial.started_at = time.monotonic()
            trial.state = pb.TRIAL_STATE_RUNNING
            trial.note("LOG_KIND_SYSTEM", "started")
            self.runs.make_room(trial.run)
        return pb.StartTrialResponse(
            trial_id=trial.trial_id,
            benchmark_id=trial.run.benchmark_id,
            task_id=trial.task_id,
            run_id=trial.run.run_id,
            instruction=trial.instruction,
            harness_url=f"{target.address}{TRIAL_PREFIX}{trial.trial_id}",
        )

    def end_trial(self, request: pb.EndTrialRequest, target: Target) -> pb.EndTrialResponse:
        """End a trial. Its score comes when the run is submitted."""
        trial = self.runs.trial(request.trial_id)
        if trial.state == pb.TRIAL_STATE_NEW:
            raise Refused(error_codes.FAILED_PRECONDITION, f"trial {trial.trial_id} has not started")
        if not trial.is_open:
            raise Refused(error_codes.ALREADY_EXISTS, f"trial {trial.trial_id} has already ended")
        self._benchmark.end_trial(trial.own_id)
        trial.close(pb.TRIAL_STATE_DONE)
        trial.note("LOG_KIND_SYSTEM", "ended")
        return pb.EndTrialResponse(trial_id=trial.trial_id, state=trial.state)

    def get_trial(self, request: pb.GetTrialRequest, target: Target) -> pb.GetTrialResponse:
        """Return a trial with its log from `cursor` on, and its score once it is revealed."""
        trial = self.runs.trial(request.trial_id)
        run = trial.run
        self._refresh(run)
        first = trial.events - len(trial.log)
        return pb.GetTrialResponse(
            **self._known(run, trial),
            **_counted(trial),
            instruction=trial.instruction,
            benchmark_id=run.benchmark_id,
            score_detail=self._details(run, trial),
            logs=list(trial.log)[max(0, request.cursor - first) :],
            next_cursor=trial.events,
            run_id=trial.run.run_id,
        )

    def get_run(self, request: pb.GetRunRequest, target: Target) -> pb.GetRunResponse:
        """Return a run with one head for each trial."""
        run = self.runs.run(request.run_id)
        self._refresh(run)
        score = self._run_score(run)
        states = [trial.state for trial in run.trials]
        return pb.GetRunResponse(
            run_id=run.run_id,
            benchmark_id=run.benchmark_id,
            name=run.name,
            score=score,
            score_available=score is not None,
            stats=pb.TrialStats(
                new_count=states.count(pb.TRIAL_STATE_NEW),
                running_count=states.count(pb.TRIAL_STATE_RUNNING),
                done_count=states.count(pb.TRIAL_STATE_DONE),
                error_count=states.count(pb.TRIAL_STATE_ERROR),
            ),
            trials=[self._head(run, trial) for trial in run.trials],
            state=self._state(run),
            policy=self._policy(),
        )

    def submit_run(self, request: pb.SubmitRunRequest, target: Target) -> pb.SubmitRunResponse:
        """Close and grade a run. Refuses while trials are open; with `force`, open trials score 0."""
        run = self.runs.run(request.run_id)
        if run.submitted_at is not None:
            raise Refused(error_codes.ALREADY_EXISTS, f"run {run.run_id} was already submitted")
        open_trials = [trial for trial in run.trials if trial.is_open]
        if open_trials and not request.force:
            count = f"{len(open_trials)} of {len(run.trials)} trials are open"
            msg = f"run has unfinished trials: {count}; end them, or submit with force"
            raise Refused(error_codes.FAILED_PRECONDITION, msg)
        self._close_run(run, self._benchmark.submit_run(run.own_id, force=request.force))
        score = self._run_score(run)
        return pb.SubmitRunResponse(
            run_id=run.run_id,
            state=self._state(run),
            score=score,
            score_available=score is not None,
            trials=[self._scored(run, trial) for trial in run.trials],
        )

    def _end_run(self, run: ServedRun) -> None:
        """End a run that its client left. A run that the benchmark does not close has no scores."""
        result = None
        with suppress(BenchmarkError):
            result = self._benchmark.submit_run(run.own_id, force=True)
        self._close_run(run, result)

    def _close_run(self, run: ServedRun, result: RunResult | None) -> None:
        for trial in run.trials:
            if trial.is_open:
                trial.close(pb.TRIAL_STATE_ERROR, FORCED_CLOSE)
        run.result = result
        run.submitted_at = time.monotonic()

    def _check_benchmark(self, benchmark_id: str) -> None:
        own = self._description.name
        if (benchmark_id != own and not benchmark_id.startswith(PLATFORM_IDS)) or len(benchmark_id) > NAME_CHARS:
            shown = benchmark_id[:60]
            raise Refused(error_codes.NOT_FOUND, f"there is no benchmark {shown!r}; this server has {own!r}")

    def _policy(self) -> pb.EvalPolicy:
        return POLICIES[self._options.policy]

    def _refresh(self, run: ServedRun) -> None:
        """Ask the benchmark again for the scores of a submitted run that it had not evaluated yet."""
        if run.result is not None and run.result.state is not RunState.EVALUATED:
            run.result = self._benchmark.get_run(run.own_id)

    def _run_score(self, run: ServedRun) -> float | None:
        return run.result.score if run.result and self._is_revealed(run) else None

    def _is_revealed(self, run: ServedRun) -> bool:
        if run.result is None or run.submitted_at is None or run.result.state is not RunState.EVALUATED:
            return False
        if self._options.reveal_after_s is None:
            return self._options.policy != BLIND
        return time.monotonic() - run.submitted_at >= self._options.reveal_after_s

    def _state(self, run: ServedRun) -> pb.RunState:
        if run.submitted_at is None:
            return pb.RUN_STATE_RUNNING
        return pb.RUN_STATE_EVALUATED if self._is_revealed(run) else pb.RUN_STATE_PENDING_EVAL

    def _shown_score(self, run: ServedRun, trial: ServedTrial) -> TrialScore | None:
        """Return a trial's score if it is revealed. A trial closed by force without a score has 0."""
        if not self._is_revealed(run):
            return None
        score = run.score(trial.own_id)
        if trial.error == FORCED_CLOSE and (score is None or score.score is None):
            return TrialScore(trial.trial_id, 0.0)
        return score if score is not None and score.score is not None else None

    def _known(self, run: ServedRun, trial: ServedTrial) -> dict[str, Any]:
        """Return the fields that every reply about a trial holds; its score only once it is revealed."""
        shown = self._shown_score(run, trial)
        return {
            "trial_id": trial.trial_id,
            "task_id": trial.task_id,
            "state": trial.state,
            "error": trial.error,
            "score": shown.score if shown else None,
            "score_available": shown is not None,
        }

    def _details(self, run: ServedRun, trial: ServedTrial) -> tuple[str, ...]:
        shown = self._shown_score(run, trial)
        if shown is None:
            return ()
        details = tuple(detail for detail in shown.details if detail != trial.error)
        unanswered = not trial.is_answered and trial.state == pb.TRIAL_STATE_DONE
        return (NO_ANSWER,) if unanswered and not details else details

    def _head(self, run: ServedRun, trial: ServedTrial) -> pb.TrialHead:
        known = self._known(run, trial) | _counted(trial)
        return pb.TrialHead(**known, num=trial.number, instruction=trial.instruction or None)

    def _scored(self, run: ServedRun, trial: ServedTrial) -> pb.ScoredTrialResult:
        details = self._details(run, trial)
        return pb.ScoredTrialResult(**self._known(run, trial), num=trial.number, score_detail=details)


def _counted(trial: ServedTrial) -> dict[str, Any]:
    """Return the counts of a trial."""
    return {
        "duration_sec": trial.duration_s,
        "api_calls": trial.calls,
        "api_errors": trial.failed_calls,
        "event_count": trial.events,
    }
