"""The control plane's service over any `Benchmark`: runs, trials and scores in the platform's form."""

from __future__ import annotations

import hmac
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from typing import Final, TypeAlias

from benchmarks.bitgn.server.served_runs import (
    BLIND,
    DONE,
    ERROR,
    NEW,
    RUNNING,
    ServedRun,
    ServedRuns,
    ServedTasks,
    ServedTrial,
    ServerOptions,
)
from controlplane import Benchmark, BenchmarkError, RunResult, RunState, TrialScore, start_selected_run
from sandbox import Aide, ForkServer
from sandbox.interface import CallError, Plain, error_codes

TRIAL_PREFIX: Final = "/trials/"
PLATFORM_IDS: Final = "bitgn/"
"""Ids with this prefix are served as well, because clients of the platform often have one in their code."""
NAME_CHARS: Final = 200
"""Characters of a run's name, and of a benchmark's id, that are kept."""
FORCED_CLOSE: Final = "forced close"
NO_ANSWER: Final = "no answer provided"
SUBJECTS: Final = {"SubmitRun": "runId", "StartTrial": "trialId", "EndTrial": "trialId"}
"""The methods that are handled one at a time for each value of a field of their requests."""
Fields: TypeAlias = dict[str, Plain]
"""A message as proto3 JSON."""


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

    def methods(self, address: str) -> dict[str, Callable[[Fields], Fields]]:
        """Return the service's methods by name, for a client that reached the server under `address`."""
        return {
            "Status": lambda _: {"status": "ok", "version": self._description.name},
            "GetBenchmark": self.get_benchmark,
            "StartRun": self.start_run,
            "StartTrial": lambda request: self.start_trial(request, address),
            "EndTrial": self.end_trial,
            "GetTrial": self.get_trial,
            "GetRun": self.get_run,
            "SubmitRun": self.submit_run,
            "StartPlayground": _start_playground,
        }

    def get_benchmark(self, request: Fields) -> Fields:
        """Return the served benchmark's policy and tasks; hints only if its policy is open."""
        benchmark_id = self._checked(request)
        is_blind = self._options.policy == BLIND
        tasks: list[Plain] = [
            {"taskId": task.task_id, "preview": task.preview, "hint": "" if is_blind else task.hint}
            for task in self._tasks.heads
        ]
        return {
            "benchmarkId": benchmark_id,
            "description": self._description.summary,
            "harnessId": self._description.name,
            "policy": self._policy,
            "tasks": tasks,
        }

    def start_run(self, request: Fields) -> Fields:
        """Start a run for a client with the key."""
        benchmark_id = self._checked(request)
        key, name = self._options.api_key, _text(request, "name")
        if key and not hmac.compare_digest(_text(request, "apiKey").encode(), key.encode()):
            raise CallError(error_codes.UNAUTHENTICATED, "the api_key is not valid")
        options = self._options
        started = start_selected_run(self._benchmark, options.selection, name=name, seed=options.seed)
        heads = tuple(replace(head, task_id=self._tasks.wire_id(head.task_id)) for head in started.trials)
        run = self.runs.add(replace(started, trials=heads), benchmark_id, name[:NAME_CHARS])
        trial_ids: list[Plain] = [trial.trial_id for trial in run.trials]
        return {"runId": run.run_id, "benchmarkId": benchmark_id, "trialIds": trial_ids}

    def start_trial(self, request: Fields, address: str) -> Fields:
        """Start a trial; for a running trial, return it again."""
        trial = self.runs.trial(_text(request, "trialId"))
        if not trial.is_open:
            raise CallError(error_codes.FAILED_PRECONDITION, f"trial {trial.trial_id} has already ended")
        if trial.environment is None:
            started = self._benchmark.start_trial(trial.own_id)
            trial.task_id = self._tasks.wire_id(started.task_id)
            trial.instruction = started.instruction
            if self._server is not None and started.use_aide is not None:
                trial.aide = Aide(self._server)
                started.use_aide(trial.aide)
            trial.environment = started.environment
            trial.started_at = time.monotonic()
            trial.state = RUNNING
            trial.note("LOG_KIND_SYSTEM", "started")
            self.runs.make_room(trial.run)
        return {
            "trialId": trial.trial_id,
            "benchmarkId": trial.run.benchmark_id,
            "taskId": trial.task_id,
            "runId": trial.run.run_id,
            "instruction": trial.instruction,
            "harnessUrl": f"{address}{TRIAL_PREFIX}{trial.trial_id}",
        }

    def end_trial(self, request: Fields) -> Fields:
        """End a trial. Its score comes when the run is submitted."""
        trial = self.runs.trial(_text(request, "trialId"))
        if trial.state == NEW:
            raise CallError(error_codes.FAILED_PRECONDITION, f"trial {trial.trial_id} has not started")
        if not trial.is_open:
            raise CallError(error_codes.ALREADY_EXISTS, f"trial {trial.trial_id} has already ended")
        self._benchmark.end_trial(trial.own_id)
        trial.close(DONE)
        trial.note("LOG_KIND_SYSTEM", "ended")
        return {"trialId": trial.trial_id, "state": trial.state}

    def get_trial(self, request: Fields) -> Fields:
        """Return a trial with its log from `cursor` on, and its score once it is revealed."""
        trial = self.runs.trial(_text(request, "trialId"))
        self._refresh(trial.run)
        first = max(0, int(_text(request, "cursor") or 0) - (trial.events - len(trial.log)))
        return {
            **self._facts(trial),
            **_counts(trial),
            "instruction": trial.instruction,
            "benchmarkId": trial.run.benchmark_id,
            "scoreDetail": [*self._details(trial)],
            "logs": [*islice(trial.log, first, None)],
            "nextCursor": trial.events,
            "runId": trial.run.run_id,
        }

    def get_run(self, request: Fields) -> Fields:
        """Return a run with one head for each trial."""
        run = self.runs.run(_text(request, "runId"))
        self._refresh(run)
        states = [trial.state for trial in run.trials]
        counts = {"newCount": NEW, "runningCount": RUNNING, "doneCount": DONE, "errorCount": ERROR}
        heads: list[Plain] = [
            {**self._facts(trial), **_counts(trial), "num": trial.number, "instruction": trial.instruction or None}
            for trial in run.trials
        ]
        return {
            **self._run_facts(run),
            "benchmarkId": run.benchmark_id,
            "name": run.name,
            "stats": {name: states.count(state) for name, state in counts.items()},
            "trials": heads,
            "policy": self._policy,
        }

    def submit_run(self, request: Fields) -> Fields:
        """Close and grade a run. Refuses while trials are open; with `force`, open trials score 0."""
        run, is_forced = self.runs.run(_text(request, "runId")), request.get("force") is True
        if run.submitted_at is not None:
            raise CallError(error_codes.ALREADY_EXISTS, f"run {run.run_id} was already submitted")
        open_trials = [trial for trial in run.trials if trial.is_open]
        if open_trials and not is_forced:
            count = f"{len(open_trials)} of {len(run.trials)} trials are open"
            msg = f"run has unfinished trials: {count}; end them, or submit with force"
            raise CallError(error_codes.FAILED_PRECONDITION, msg)
        self._close_run(run, self._benchmark.submit_run(run.own_id, force=is_forced))
        trials: list[Plain] = [
            {**self._facts(trial), "num": trial.number, "scoreDetail": [*self._details(trial)]} for trial in run.trials
        ]
        return {**self._run_facts(run), "trials": trials}

    def _end_run(self, run: ServedRun) -> None:
        """End a run that its client left. A run that the benchmark does not close has no scores."""
        result = None
        with suppress(BenchmarkError):
            result = self._benchmark.submit_run(run.own_id, force=True)
        self._close_run(run, result)

    def _close_run(self, run: ServedRun, result: RunResult | None) -> None:
        for trial in run.trials:
            if trial.is_open:
                trial.close(ERROR, FORCED_CLOSE)
        run.result = result
        run.submitted_at = time.monotonic()

    def _checked(self, request: Fields) -> str:
        """Return the benchmark's id in a request. Raises `CallError` if it is not served."""
        benchmark_id, own = _text(request, "benchmarkId"), self._description.name
        if (benchmark_id != own and not benchmark_id.startswith(PLATFORM_IDS)) or len(benchmark_id) > NAME_CHARS:
            msg = f"there is no benchmark {benchmark_id[:60]!r}; this server has {own!r}"
            raise CallError(error_codes.NOT_FOUND, msg)
        return benchmark_id

    @property
    def _policy(self) -> str:
        return f"EVAL_POLICY_{self._options.policy.upper()}"

    def _refresh(self, run: ServedRun) -> None:
        """Ask the benchmark again for the scores of a submitted run that it had not evaluated yet."""
        if run.result is not None and run.result.state is not RunState.EVALUATED:
            run.result = self._benchmark.get_run(run.own_id)

    def _is_revealed(self, run: ServedRun) -> bool:
        if run.result is None or run.submitted_at is None or run.result.state is not RunState.EVALUATED:
            return False
        if self._options.reveal_after_s is None:
            return self._options.policy != BLIND
        return time.monotonic() - run.submitted_at >= self._options.reveal_after_s

    def _run_facts(self, run: ServedRun) -> Fields:
        """Return the fields that every reply about a run holds."""
        is_revealed = self._is_revealed(run)
        score = run.result.score if run.result and is_revealed else None
        state = "RUNNING" if run.submitted_at is None else "EVALUATED" if is_revealed else "PENDING_EVAL"
        return {
            "runId": run.run_id,
            "state": f"RUN_STATE_{state}",
            "score": score,
            "scoreAvailable": score is not None,
        }

    def _revealed_score(self, trial: ServedTrial) -> TrialScore | None:
        """Return a trial's score if it is revealed. A trial closed by force without a score has 0."""
        if not self._is_revealed(trial.run):
            return None
        score = trial.run.score(trial.own_id)
        if trial.error == FORCED_CLOSE and (score is None or score.score is None):
            return TrialScore(trial.trial_id, 0.0)
        return score if score is not None and score.score is not None else None

    def _facts(self, trial: ServedTrial) -> Fields:
        """Return the fields that every reply about a trial holds; its score only once it is revealed."""
        revealed = self._revealed_score(trial)
        return {
            "trialId": trial.trial_id,
            "taskId": trial.task_id,
            "state": trial.state,
            "error": trial.error,
            "score": revealed.score if revealed else None,
            "scoreAvailable": revealed is not None,
        }

    def _details(self, trial: ServedTrial) -> tuple[str, ...]:
        revealed = self._revealed_score(trial)
        if revealed is None:
            return ()
        details = tuple(detail for detail in revealed.details if detail != trial.error)
        unanswered = not trial.is_answered and trial.state == DONE
        return (NO_ANSWER,) if unanswered and not details else details


def _counts(trial: ServedTrial) -> Fields:
    return {
        "durationSec": trial.duration_s,
        "apiCalls": trial.calls,
        "apiErrors": trial.failed_calls,
        "eventCount": trial.events,
    }


def _start_playground(_: Fields) -> Fields:
    raise CallError(error_codes.UNIMPLEMENTED, "StartPlayground is deprecated; start a run")


def _text(request: Fields, name: str) -> str:
    """Return a field of text, or an empty string: the `.proto` files say what is valid."""
    return str(request.get(name, ""))
