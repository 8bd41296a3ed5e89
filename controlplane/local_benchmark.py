"""Benchmarks whose worlds are in this process: a trial's environment, the grader of its end, the lifecycle of runs.

Calls of files are made here, in linear time; tools compute in the trial's worker, or in this process if there is none.
Nothing is stored outside this process: a trial's id is enough to start it again elsewhere. No model judges an expected
end; its faults use the words of the public platform.
"""

from __future__ import annotations

import json
import threading
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from secrets import token_hex
from threading import RLock
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import re2

from controlplane.agent.model import Model
from controlplane.benchmark import (
    BenchmarkError,
    RunRequest,
    RunResult,
    RunState,
    StartedRun,
    TaskTry,
    Trial,
    TrialScore,
    TrialStub,
)
from controlplane.gates.literal_tokens import words_present
from controlplane.gates.submission import encodable
from controlplane.sandbox.interface import (
    FILE_OPERATIONS,
    CallError,
    Plain,
    ToolSchema,
    bound_arguments,
    bounds,
    error_codes,
    fresh_result,
    is_same,
)
from controlplane.sandbox.interface.error_codes import FAILED_PRECONDITION, NOT_FOUND

if TYPE_CHECKING:
    from controlplane.sandbox import FileTree, Worker
    from controlplane.sandbox.files import WorldFiles

FILE_CALLS: Final = frozenset(
    operation.name for operation in FILE_OPERATIONS if operation.name != "exec"
)


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """The one answer of a trial, as submitted."""

    message: str
    outcome: str
    refs: tuple[str, ...]


class LocalEnvironment:
    """The world that a trial's scripts work in. Changes stay within the trial. Calls may come from any thread."""

    def __init__(
        self,
        tool_schema: ToolSchema,
        world: WorldFiles,
        tree: FileTree,
        clock: datetime | None = None,
        run_tool: Callable[[str, dict[str, Any]], dict[str, Plain]] | None = None,
    ) -> None:
        """`run_tool` makes the call of a tool in this process; None if there are none, or in a worker alone."""
        self.submission: GivenAnswer | None = None
        self.tool_schema = tool_schema
        self.first_files = world.texts
        """The files by path as the trial found them."""
        self.tree = tree
        self._world = world
        self._clock = clock
        self._run_tool = run_tool
        self._lock = threading.Lock()
        self._is_open = True

    @property
    def changes(self) -> Mapping[str, str | None]:
        """The files written (path to text) and deleted (path to None) since the start."""
        return self.tree.changes

    def use_worker(self, worker: Worker) -> None:
        """Run the tools in `worker`, which has not begun, from now on."""
        from controlplane.sandbox.files.tool_world import WorkerTools

        with self._lock:
            self._run_tool = WorkerTools(worker, self.tree, self._world).call

    def now(self) -> datetime | None:
        """Return the world's clock, None if the world has no clock."""
        return self._clock

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        """Make one call of a declared operation and return its result fields. Raises `CallError`."""
        with self._lock:
            self._refuse_when_ended()
            declared = self.tool_schema.operation(operation)
            if declared is None or declared.finds:
                raise CallError(
                    error_codes.UNIMPLEMENTED, f"there is no operation {operation[:60]!r}"
                )
            bound: dict[str, Any] = bound_arguments(declared, (), dict(arguments))
            result = self.result_of(operation, bound)
        return fresh_result(operation, result)

    def result_of(self, operation: str, arguments: dict[str, Any]) -> dict[str, Plain]:
        """Return the result of a call with all its arguments: of files here, of anything else by the tools."""
        declared = self.tool_schema.operation(operation)
        if operation in FILE_CALLS and not (
            declared and declared.parsed_field
        ):  # A tool may have such a name.
            result: dict[str, Plain] = getattr(self.tree, operation)(**arguments)
            return result
        return self.tool_result(operation, arguments)

    def tool_result(self, operation: str, arguments: dict[str, Any]) -> dict[str, Plain]:
        """Return the result of a call that the tools make, in the worker if there is one."""
        if self._run_tool is None:
            raise CallError(error_codes.UNIMPLEMENTED, "there are no tools in this process")
        return self._run_tool(operation, arguments)

    def knows_file(self, path: str) -> bool:
        """Say whether a file is at exactly `path`, or was there at the start, or a server returned it as its result."""
        is_tool = any(path == tool.path for tool in self.tool_schema.executables)
        is_result = path.startswith("/mcp/")
        return (
            is_tool or is_result or path in self.first_files or self.changes.get(path) is not None
        )

    def answer(self, message: str, outcome: str, refs: Sequence[str]) -> None:
        """Submit the trial's one answer. Raises `CallError`: `already_exists` for a second one."""
        with self._lock:
            self._refuse_when_ended()
            if self.submission is not None:
                raise CallError(error_codes.ALREADY_EXISTS, "this trial has its answer already")
            self.submission = GivenAnswer(message, outcome, tuple(refs))

    def close(self) -> None:
        """End the trial: every later call fails with `failed_precondition`."""
        with self._lock:
            self._is_open = False

    def _refuse_when_ended(self) -> None:
        if not self._is_open:
            raise CallError(error_codes.FAILED_PRECONDITION, "this trial has ended")


NO_ANSWER: Final = "no answer provided"


@dataclass(frozen=True, slots=True)
class Expectation:
    """The required end of a trial."""

    outcome: str
    message: str | None = None
    """The only right message; None if it may be in free words."""
    tokens: tuple[str, ...] = ()
    """Strings that a message in free words must hold."""
    forbidden: tuple[str, ...] = ()
    """Strings that a message in free words must not hold, such as facts that a refusal must not reveal."""
    references: frozenset[str] = frozenset()
    """The paths that must be cited."""
    tolerated: frozenset[str] = frozenset()
    """Paths that may be cited but need not be. Any other path costs the score, unless it is free."""
    free: tuple[str, ...] = ()
    """Prefixes of paths below which unnecessary references do not cost score."""
    changes: Mapping[str, str | None] | None = None
    """Every file that must change, with its new text, or None if it is deleted. No other file may change."""
    exact_ends: bool = True
    """True if a missing or extra newline at the end of such a file is a fault."""


def faults_of(expected: Expectation, end: LocalEnvironment) -> tuple[str, ...]:
    """Return one line for each fault of a trial that has ended; no lines without a fault."""
    given = end.submission
    if given is None:
        return (NO_ANSWER,)
    faults: list[str] = []
    if given.outcome != expected.outcome:
        faults.append(f"expected outcome {expected.outcome}, got {given.outcome}")
    return (
        *faults,
        *_reference_faults(expected, given, end),
        *_message_faults(expected, given),
        *_change_faults(expected, end),
    )


def _change_faults(expected: Expectation, end: LocalEnvironment) -> Iterator[str]:
    before, wanted = end.first_files, expected.changes or {}
    changed = {path: text for path, text in end.changes.items() if text != before.get(path)}
    if changed.keys() != wanted.keys():
        only = f"expected only file changes [{_listed(wanted)}], got [{_listed(changed)}]"
        yield only if wanted else "expected no file changes"
    for path in sorted(changed.keys() & wanted.keys()):
        if fault := _mismatch(path, changed[path], wanted[path], exact_ends=expected.exact_ends):
            yield fault


def _mismatch(path: str, given: str | None, wanted: str | None, *, exact_ends: bool) -> str:
    """Return the difference in the content of a file, for JSON the first field that differs; empty if there is none."""
    if given and wanted and not exact_ends:
        given, wanted = given.removesuffix("\n"), wanted.removesuffix("\n")
    # A record is read as JSON if it is at most this many times longer than the expected one.
    if given and wanted and path.endswith(".json") and len(given) <= 10 * len(wanted):
        with suppress(
            ValueError, RecursionError
        ):  # A script wrote it: it may be nested without end.
            left, right = json.loads(given), json.loads(wanted)
            if is_same(left, right):
                return ""
            field, *values = _difference(left, right)
            # Characters of a wrong value to show.
            got, due = (json.dumps(value)[:120] for value in values)
            return f"JSON mismatch in {path!r}: {field}: expected {due} got {got}"
    return "" if given == wanted else f"file {path} content did not match expected export"


def _difference(given: Plain, wanted: Plain, field: str = "") -> tuple[str, Plain, Plain]:
    """Return the first field in which two values differ, with its two values."""
    if isinstance(given, dict) and isinstance(wanted, dict):
        for name in {**wanted, **given}:
            if not is_same(given.get(name), wanted.get(name)):
                return _difference(given.get(name), wanted.get(name), f"{field}.{name}".lstrip("."))
    return field or "$", given, wanted


def holds_token(message: str, token: str) -> bool:
    """Say whether `token` occurs in the message where no letter or digit touches it."""
    return bool(token and words_present([token], message))


def _message_faults(expected: Expectation, given: GivenAnswer) -> list[str]:
    message = given.message.strip()
    if expected.message is not None:
        return [] if message == expected.message else [f'Answer should be "{expected.message}"']
    faults = [
        f"Answer should contain {token!r}"
        for token in expected.tokens
        if not holds_token(message, token)
    ]
    faults += [
        f"answer gives {token!r} away"
        for token in expected.forbidden
        if holds_token(message, token)
    ]
    if not message:
        faults.append("answer is empty")
    return faults


def _root(path: str) -> str:
    """Return the prefix of a path by which reference faults are grouped."""
    return "/".join(path.split("/")[:3]) if path.startswith("/proc/") else "/" + path.split("/")[1]


def _reference_faults(
    expected: Expectation, given: GivenAnswer, end: LocalEnvironment
) -> Iterator[str]:
    cited = {_cited_file(ref, end) for ref in given.refs}
    missing = expected.references - cited
    unknown = {ref for ref in cited if not end.knows_file(ref)}
    needless = cited - expected.references - unknown - expected.tolerated
    extra = {ref for ref in needless if not ref.startswith(expected.free)}
    yield from (f"answer contains invalid reference {ref!r}" for ref in sorted(unknown))
    for root in sorted({_root(ref) for ref in missing | extra}):
        lacking, needless = (
            {ref for ref in refs if _root(ref) == root} for refs in (missing, extra)
        )
        if root.startswith("/proc/"):
            yield f'answer refs for family "{root}" mismatch: missing [{_listed(lacking)}], extra [{_listed(needless)}]'
        else:
            yield from (f"answer missing required reference {ref!r}" for ref in sorted(lacking))
            yield from (f"answer contains invalid reference {ref!r}" for ref in sorted(needless))


def _cited_file(ref: str, end: LocalEnvironment) -> str:
    """Return the file that a reference is to; a fragment counts only if it is `#row=ID` of a row that the file has."""
    path, sign, row = ref.partition("#row=")
    if not sign or end.knows_file(ref):
        return ref
    text = end.changes.get(path) or end.first_files.get(path) or ""
    lines = text.replace(",", "\t").replace(";", "\t").splitlines()  # These signs separate cells.
    return path if any(row in line.split("\t") for line in lines) else ref


def _listed(paths: Iterable[str]) -> str:
    return " ".join(sorted(paths))


@dataclass(frozen=True, slots=True)
class Grade:
    """A score from 0 to 1, with one line for each fault; None: there is no score."""

    score: float | None
    details: tuple[str, ...] = ()
    metrics: Mapping[str, float] = field(default_factory=dict)
    """Further figures by name, such as `security`."""


RUN: Final = re2.compile(
    r"(?P<benchmark>[a-z0-9-]+?)-s(?:0|-?[1-9]\d*)-n(?P<trials>[1-9]\d*)-(?P<token>[0-9a-f]{8})"
)
"""A run's id: its benchmark, seed and number of trials, and a random token that tells it from other runs."""
TRIAL: Final = re2.compile(r"(?P<task>.+)-r\d+-(?P<token>[0-9a-f]{8})(?:-c\d+)?")


GeneratedTrial: TypeAlias = tuple[Trial, Callable[[], Grade]]
"""A trial that has started and not ended, and its grader."""


@dataclass(slots=True)
class _Run:
    """The state of a run in this process."""

    scores: dict[str, TrialScore | None] = field(default_factory=dict)
    """By trial, those allotted here first; None for a trial that has not ended."""
    state: RunState = RunState.RUNNING


def _close(trial: Trial) -> None:
    """Refuse the later calls of a trial's environment, if it can."""
    getattr(trial.environment, "close", lambda: None)()


class LocalBenchmark(ABC):
    """A benchmark except for `describe`. If blind, scores stay sealed until `get_run` asks after the submission."""

    def __init__(
        self,
        name: str,
        task_ids: Collection[str] = (),
        *,
        is_blind: bool = False,
        has_scores: bool = True,
    ) -> None:
        self.name = name
        self.task_ids = task_ids
        self.is_blind = is_blind
        self.has_scores = has_scores
        self._lock = RLock()
        self._open: dict[str, GeneratedTrial] = {}
        self._runs: defaultdict[str, _Run] = defaultdict(_Run)

    @abstractmethod
    def generate(self, trial_id: str) -> GeneratedTrial:
        """Make a trial's world. Raises `BenchmarkError` for an id that is not a trial's."""

    def trial_id(self, one_try: TaskTry, seed: int, token: str) -> str:
        """Return the id of a try's trial, which holds all that a new process needs to start the trial."""
        return f"{one_try.task_id}-r{one_try.number}-{token}" + f"-c{one_try.copy}" * bool(
            one_try.copy
        )

    def parts_of(self, trial_id: str) -> tuple[str, str]:
        """Return the task of a trial and the token of its run. Raises `BenchmarkError` for an id that is not a
        trial's."""
        match = TRIAL.fullmatch(encodable(trial_id))
        if match is None or match["task"] not in self.task_ids:
            raise BenchmarkError(NOT_FOUND, f"{trial_id!r} is not a trial of {self.name}")
        return match["task"], match["token"]

    def start_run(self, request: RunRequest) -> StartedRun:
        """Make a trial for each try."""
        token = token_hex(4)
        stubs = [
            TrialStub(self.trial_id(one_try, request.seed, token), one_try.task_id)
            for one_try in request.tries
        ]
        with self._lock:
            closed = [
                ended for ended, run in self._runs.items() if run.state is not RunState.RUNNING
            ]
            for ended in closed[: -bounds.MOST_CLOSED_RUNS]:
                del self._runs[ended]
            self._runs[token] = _Run(dict.fromkeys(stub.trial_id for stub in stubs))
        return StartedRun(f"{self.name}-s{request.seed}-n{len(stubs)}-{token}", tuple(stubs))

    def player(self) -> Model | None:
        """Return the model that comes with the benchmark, if it has one."""
        return None

    def start_trial(self, trial_id: str) -> Trial:
        """Generate a trial; a second start returns the same one. Raises `BenchmarkError` for an ended or unknown
        trial."""
        if (started := self._started(trial_id)) is not None:
            return replace(started[0], is_fresh=False)
        generated = self.generate(trial_id)
        with self._lock:
            trial, _ = self._started(trial_id) or self._open.setdefault(trial_id, generated)
            return trial

    def end_trial(self, trial_id: str) -> TrialScore | None:
        """Grade a trial and release its world; the score is None if it is sealed or there is none."""
        _, token = self.parts_of(trial_id)
        with self._lock:
            started = self._open.get(trial_id)
        graded = None
        if started is not None:
            trial, grade = started
            _close(trial)
            graded = (
                grade()
            )  # It may ask a model, while others go on; if that fails, it is asked again.
        with self._lock:
            scores = self._runs[token].scores
            if graded is not None and self._open.pop(trial_id, None) is not None:
                # Lines of a grade to keep, and characters of each line: an answer may cite anything.
                details = tuple(line[:500] for line in graded.details[:50])
                scores[trial_id] = TrialScore(trial_id, graded.score, details, graded.metrics)
            elif scores.get(trial_id) is None:
                raise BenchmarkError(FAILED_PRECONDITION, f"trial {trial_id} has not been started")
            return scores[trial_id] if self.has_scores and not self.is_blind else None

    def take_score(self, score: TrialScore) -> None:
        """Take the score of a trial that ended in another process."""
        _, token = self.parts_of(score.trial_id)
        with self._lock:
            scores = self._runs[token].scores
            scores[score.trial_id] = scores.get(score.trial_id) or score

    def submit_run(self, run_id: str, *, force: bool) -> RunResult:
        """Close the run. Raises `BenchmarkError` if trials are open, unless `force` is given."""
        parsed = self._run_id(run_id)
        with self._lock:
            run = self._runs[parsed["token"]]
            left = [trial_id for trial_id, score in run.scores.items() if score is None]
            if left and not force and run.state is RunState.RUNNING:
                raise BenchmarkError(
                    FAILED_PRECONDITION,
                    f"{len(left)} trials have not ended, the first is {left[0]}",
                )
            for trial_id in left:
                self.release(trial_id)
                run.scores[trial_id] = TrialScore(trial_id, 0.0, ("forced close",))
            if run.state is RunState.RUNNING:
                run.state = RunState.PENDING if self.is_blind else RunState.EVALUATED
            return self._result(parsed, run)

    def get_run(self, run_id: str) -> RunResult:
        """Return the state and scores of a run; asking for a submitted blind run reveals its scores."""
        parsed = self._run_id(run_id)
        with self._lock:
            run = self._runs[parsed["token"]]
            if run.state is RunState.PENDING:
                run.state = RunState.EVALUATED
            return self._result(parsed, run)

    def close(self) -> None:
        """Release every trial that is still open."""
        for trial_id in [*self._open]:
            self.release(trial_id)

    def release(self, trial_id: str) -> None:
        """Give up an open trial without a grade: its next start makes it anew."""
        with self._lock:
            if trial_id in self._open:
                _close(self._open.pop(trial_id)[0])

    def _started(self, trial_id: str) -> GeneratedTrial | None:
        """Return the trial if it is open, None if it is new. Raises `BenchmarkError` if it has ended."""
        _, token = self.parts_of(trial_id)
        with self._lock:
            if self._runs[token].scores.setdefault(trial_id, None) is not None:
                raise BenchmarkError(FAILED_PRECONDITION, f"trial {trial_id} has ended already")
            return self._open.get(trial_id)

    def _run_id(self, text: str) -> re2._Match:
        parsed = RUN.fullmatch(encodable(text))
        if parsed is None or parsed["benchmark"] != self.name:
            raise BenchmarkError(NOT_FOUND, f"{text!r} is not a run of {self.name}")
        return parsed

    def _result(self, run_id: re2._Match, run: _Run) -> RunResult:
        """Return the run's scores. The run's own score is the mean, None if trials ended in another process."""
        if not self.has_scores:
            return RunResult(run_id[0], run.state, None, ())
        trials = [score for score in run.scores.values() if score is not None]
        if self.is_blind and run.state is not RunState.EVALUATED:
            trials = [TrialScore(score.trial_id, None) for score in trials]
        scores = [trial.score for trial in trials if trial.score is not None]
        is_whole = run.state is RunState.EVALUATED and len(scores) == int(run_id["trials"])
        return RunResult(
            run_id[0], run.state, sum(scores) / len(scores) if is_whole else None, tuple(trials)
        )
