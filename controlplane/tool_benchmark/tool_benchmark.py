"""Benchmarks of tasks as data, tools as functions, and a grader."""

from __future__ import annotations

import inspect
import json
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import islice
from numbers import Real
from typing import Any, ClassVar, Final, Literal, TypeAlias

from pydantic_core import to_jsonable_python

from controlplane.agent.evidence import Environment
from controlplane.agent.model import Model, ModelError, ModelRequest, Reply
from controlplane.benchmark import (
    BenchmarkContext,
    BenchmarkError,
    Description,
    ListedTask,
    OpenedBenchmark,
    TaskTry,
    Trial,
)
from controlplane.sandbox.interface import error_codes
from controlplane.sandbox.interface.outcomes import Outcomes
from controlplane.score_scale import (
    UNIT_SCALE,
    ScoreScale,
    finite_number,
    shown_value,
    sound_metrics,
)
from controlplane.tool_benchmark.environments import TaskEnvironment
from controlplane.tool_benchmark.local_runs import (
    UNPLAYED_TOKEN,
    GeneratedTrial,
    Grade,
    LocalBenchmark,
)
from controlplane.tools.function_tool import RESERVED, Tool
from controlplane.tools.tool_parameters import check_kind, plain_name, script_name

# What the grader of a benchmark may return, and its form as a `Grade`.
#
# Simple graders return a number, such as `1.0`. Others add the reasons for a lower score,
# or further metrics. `grade_of` checks each form and returns the same type for all.

Graded: TypeAlias = "Grade | float | tuple[float, Iterable[str]] | tuple[float, Iterable[str], Mapping[str, float]]"
"""What a grader may return: a `Grade`, or one of these forms.

- `0.5`: the score. True and False are scores, too; for False, a line says that it was the grader's.
- `0.5, ["no citation"]`: the score, with lines that say why it is not the best one.
- `0.5, ["no citation"], {"security": 1.0}`: the same, with further metrics by name.
"""


def grade_of(graded: Graded, grader: str, scale: ScoreScale = UNIT_SCALE) -> Grade:
    """Return a grader's result as a `Grade`.

    For example, `(0.5, ["no citation"])` becomes `Grade(0.5, ("no citation",), {})`. With
    the best score of the scale, the lines are dropped.

    A result that is no score of the scale becomes a grade without a score. Its first line says
    why; `grader` names the grader in it.
    """
    score: Any
    lines: Any
    metrics: Any
    if isinstance(graded, tuple) and len(graded) == 3:
        score, lines, metrics = graded
    elif isinstance(graded, tuple) and len(graded) == 2:
        score, lines = graded
        metrics = {}
    else:
        score = graded
        lines = ()
        metrics = {}
    if isinstance(score, Grade):
        score, lines, metrics = score.score, score.details, score.metrics
        if score is None:
            return Grade(None, _lines(lines), _figures(metrics))

    number = scale.score_of(score)
    if number is None:
        refusal = _refusal(score, grader, scale)
        return Grade(None, (*refusal, *_lines(lines)), _figures(metrics))
    is_best = number >= scale.highest
    if score is False and not lines:
        lines = (f"{grader} returned False, without a reason",)
    return Grade(number, () if is_best else _lines(lines), _figures(metrics))


def _refusal(score: object, grader: str, scale: ScoreScale) -> tuple[str, ...]:
    """Return why what a grader has returned is no score: the reason first, then what to do."""
    if not isinstance(score, Real):
        remedy = "a grader returns a score, (score, lines) or (score, lines, metrics)"
        return f"{grader} returned {shown_value(score)}, which is no score", remedy
    reason = scale.fault_of(score)
    if finite_number(score) is None:
        return (reason,)
    return (
        reason,
        "a benchmark declares another scale as `scale = (LOWEST, HIGHEST)`",
    )


def _lines(lines: object) -> tuple[str, ...]:
    """Return the lines of a grader as texts: `"no date"` is one line."""
    if isinstance(lines, str):
        return (lines,)
    if not isinstance(lines, Iterable):
        return (shown_value(lines),)
    return tuple(map(str, lines))


def _figures(metrics: object) -> dict[str, float]:
    """Return the further figures of a grader. Those that are no numbers are left out."""
    if not isinstance(metrics, Mapping):
        return {}
    return sound_metrics({str(name): value for name, value in metrics.items()})[0]


# Benchmarks written as three methods: list the tasks, generate one, and grade its end.
#
# class Bank(ToolBenchmark):
#     def task_ids(self): return ["transfer"]
#     def generate(self, task_id): return "Pay the bill.", TaskEnvironment([Tool(pay, "acts")])
#     def grade(self, task_id, environment): return 1.0 if environment.calls else 0.0

# The runs and trials of a benchmark that is written as three methods.
#
# Such a benchmark (`ToolBenchmark`) lists its tasks, generates the world of one, and grades
# how it ended. It knows nothing of runs. This module gives its trials ids and seeds, keeps
# them while they are open, and returns their scores.

_SHOWN_NAMES_CHARS: Final = 300


class _ToolBenchmarkRuns(LocalBenchmark):
    """Makes a full benchmark, with runs and trials, of the methods of a `ToolBenchmark`.

    The base class keeps the open trials and their ids. For each trial, this class asks the
    `ToolBenchmark` for a world (`generate`), in which the trial's scripts then work, and at the
    end for a grade of this world (`grade`).
    """

    def __init__(self, benchmark: ToolBenchmark, scale: ScoreScale) -> None:
        """Play the tasks of `benchmark`, scored on this scale. Raises `BenchmarkError` if it lists one twice."""
        name = benchmark.name or type(benchmark).__name__
        task_ids = tuple(benchmark.task_ids())
        for task_id, count in Counter(task_ids).items():
            if not isinstance(task_id, str) or not task_id.strip():
                msg = f"{name} lists a task whose id is no name: {task_id!r}"
                raise BenchmarkError(error_codes.INVALID_ARGUMENT, msg)
            if count > 1:
                msg = f"{name} lists the task {task_id!r} twice"
                raise BenchmarkError(error_codes.INVALID_ARGUMENT, msg)
        # Ids of runs contain `my-tasks` for `My_Tasks`.
        words = plain_name(name.lower()).split("_")
        super().__init__(
            "-".join(filter(None, words)),
            dict.fromkeys(task_ids),  # It is fast to look up, and keeps the order.
            has_scores=benchmark.has_scores,
        )
        self._benchmark = benchmark
        self._scale = scale

    def describe(self, preview_seed: int | None = None) -> Description:
        """Return the tasks with their previews, which are the same for every seed."""
        listed_tasks = tuple(
            ListedTask(task_id, self._benchmark.preview(task_id))
            for task_id in self.task_ids
        )
        return Description(
            self.name,
            self._benchmark.summary or f"{len(listed_tasks)} tasks",
            listed_tasks,
        )

    def player(self) -> Model | None:
        """Return the benchmark's own player."""
        return self._benchmark.player()

    def close(self) -> None:
        """Release the open trials and the benchmark."""
        super().close()
        self._benchmark.close()

    def generate(self, trial_id: str) -> GeneratedTrial:
        """Create the world of a trial.

        Raises `BenchmarkError` for an id that is not a trial's, and for a tool that
        declares no effect.
        """
        task_id, _ = self.parts_of(trial_id)
        generated = self._benchmark.generate(task_id)
        is_pair = isinstance(generated, tuple) and len(generated) == 2
        world: Any = generated[1] if is_pair else None
        if not isinstance(world, TaskEnvironment) and not hasattr(world, "tool_schema"):
            msg = (
                f"a task is an instruction and an environment, and that of {task_id} is "
                f"{shown_value(generated)}"
            )
            raise BenchmarkError(error_codes.INVALID_ARGUMENT, msg)
        instruction = generated[0]
        environment: Environment = world
        if isinstance(world, TaskEnvironment):
            environment = world.runtime
            # The benchmark declares once, for all worlds, whether answers have to cite.
            world.runtime.tool_schema = replace(
                world.runtime.tool_schema, citations=self._benchmark.citations
            )
        _check_effects(environment.tool_schema.undeclared)

        def grade() -> Grade:
            graded = self._benchmark.grade(task_id, world)
            return grade_of(graded, "the grader", self._scale)

        trial = Trial(
            trial_id,
            task_id,
            instruction,
            environment,
            # The method that takes the worker process for the tools' work, if there is one: an
            # environment of the benchmark's own class needs none.
            use_worker=getattr(environment, "use_worker", None),
            repeats_all_calls=self._benchmark.repeats_all_calls,
        )
        return GeneratedTrial(trial, grade)


def _check_effects(undeclared_tools: Iterable[str]) -> None:
    """Raise `BenchmarkError` if there are tools without a declared effect, such as `Tool(pay)`."""
    names = ", ".join(undeclared_tools)[:_SHOWN_NAMES_CHARS]
    if names:
        # A call that may change something is recorded before it is made. So the effect of
        # every tool has to be known.
        msg = (
            f"what calls of {names} do is not declared: say effect='returns' of those that "
            "only read, and 'acts' of those that may change something (a call that acts is "
            "recorded before it is made, and never repeated unasked)"
        )
        raise BenchmarkError(error_codes.INVALID_ARGUMENT, msg)


# The right way to do a task: the right calls and the right answer.
#
# A benchmark that knows it returns it from `truth`. Then a run without a model does its tasks this way, and
# shows whether the grader and the gates accept right work.

TruthCall: TypeAlias = tuple[str, Mapping[str, Any]]
"""A right call: the name of the tool and its arguments."""


@dataclass(frozen=True, slots=True)
class Truth:
    """The right way to do a task."""

    turns: Sequence[Sequence[TruthCall]]
    """The calls of each turn of the conversation with the user, in order:
    the tool's name with its arguments, such as `("cancel_order", {"order_id": 7})`.
    Without a user, there is usually only one turn."""
    answer: str = ""
    """The right answer; empty if there is a user."""
    outcome: str = "OUTCOME_OK"
    """The outcome of the answer."""
    tells_user: str = ""
    """The message to the user after each turn, such as "Done.";
    empty if there is no user, so that the trial ends with the answer."""


# The script that carries out a ground truth: the right calls of each turn, and the right answer.
#
# A turn is what happens between two messages of the user. A task without a user has one
# turn. The script begins with the truth as data:
#
# TURNS = [[('find_order', {'order_id': 7}), ('cancel_order', {'order_id': 7})]]
# ANSWER = 'The order is cancelled.'
#
# The setting `provenance` of a run may hold back a changing call once: it is made only if a later
# step makes it again. So the steps of this example may be:
#
# 1. makes `find_order`; `cancel_order` is held back, and the scratchpad gets `held_call` = 1
# 2. begins with call 1, `cancel_order`, which is made now; `turn` becomes 1
# 3. there is no turn 1, so the answer is submitted

_SAYS_HELD: Final = "make the same call again"
"""A part of the message that a call is held back
(by `agent/evidence/call_checks.py`)."""

_TRUTH_SCRIPT: Final = """
# Every step runs this same script. The scratchpad keeps how far the work has come:
# the present turn, and the number of its call that was held back in the last step.
turn = scratchpad.get('turn', 0)
held_call = scratchpad.get('held_call')

def make_call(number):
    # Make a call and print its result. Return True if the call is held back.
    name, arguments = TURNS[turn][number]
    try:
        print(getattr(harness, name)(**arguments))
    except HarnessError as error:
        print(error)
        return SAYS_HELD in str(error)
    return False

def make_calls_of_turn():
    # Go on with the call that was held back, or begin with the first one. Return False
    # if a call is held back for the first time: the next step has to repeat it.
    for number in range(held_call or 0, len(TURNS[turn])):
        if make_call(number) and number != held_call:
            scratchpad['held_call'] = number
            return False
    return True

def verify(sp):
    return (sp['answer'], sp['outcome']) == (ANSWER, OUTCOME)

if turn >= len(TURNS):
    scratchpad['answer'] = ANSWER
    scratchpad['outcome'] = OUTCOME
    harness.answer(scratchpad, verify)
elif make_calls_of_turn():
    scratchpad['turn'] = turn + 1
    scratchpad['held_call'] = None
    if TELLS_USER:
        print(harness.say(TELLS_USER))  # The user's reply begins the next turn.
"""
"""The script of every step of a trial. `_truth_script` defines the names in capitals before it.

A call that is held back a second time is left out.
"""


def _truth_script(truth: Truth) -> str:
    """Return the script that carries out the next turn of a trial, or answers after the last turn."""
    # Scripts have names of their own for tools and arguments, and JSON's types: the call
    # `("get-order", {"from": date(2027, 5, 1)})` becomes `("get_order", {"from_": "2027-05-01"})`.
    turns = []
    for calls in truth.turns:
        calls_in_script = []
        for tool, arguments in calls:
            values = to_jsonable_python(dict(arguments))
            arguments_in_script = {script_name(key): values[key] for key in values}
            name = script_name(tool, reserved=RESERVED)
            calls_in_script.append((name, arguments_in_script))
        turns.append(calls_in_script)
    constants = (
        f"TURNS = {turns!r}\n"
        f"TELLS_USER = {truth.tells_user!r}\n"
        f"ANSWER = {truth.answer!r}\n"
        f"OUTCOME = {truth.outcome!r}\n"
        f"SAYS_HELD = {_SAYS_HELD!r}"
    )
    return constants + _TRUTH_SCRIPT


# A player that carries out a benchmark's ground truth in place of a model.
#
# A benchmark declares by `Truth` the right calls of each turn and the right answer. The
# player makes these calls as a perfect model would. So a run of it shows whether the
# grader, the gates and the provenance policy accept right work.


class _TruthPlayer(Model):
    """Replies with a script that carries out the ground truth.

    Each run of the script makes the calls of one turn of the conversation with the user.
    The run after the last turn submits the answer. It is the same script in every reply:
    the trial's scratchpad, which is kept between scripts, tells it how far it has come.
    """

    name = "truth"

    def __init__(self, truth: Callable[[str], Truth | None]) -> None:
        """Create a player. `truth` returns the ground truth of a task; None if it is not known."""
        self._truth = truth

    def reply_to(self, request: ModelRequest) -> Reply:
        """Return the script as a model would. Raises `ModelError` if there is no truth."""
        truth = self._truth(request.task_id)
        if truth is None:
            msg = f"the ground truth of {request.task_id!r} is not known"
            raise ModelError(msg)
        # Each message of the assistant is an earlier reply of this player.
        reply_count = 0
        for message in request.messages:
            if message["role"] == "assistant":
                reply_count += 1
        # A trial whose scripts are all the same would count as stuck. So number them.
        script = f"# reply {reply_count + 1}\n{_truth_script(truth)}"
        # The form of every reply of a model (see `agent/reply/reply.py`).
        action = {"state": "as planned", "plan": [], "done": False, "code": script}
        return Reply(text=json.dumps(action))


_Citations: TypeAlias = Literal["asked", "none"]
"""Whether an answer has to name the documents that it relies on."""


class ToolBenchmark(ABC):
    """A benchmark as three methods. The control plane does everything else for a run.

    A module offers it as `open_benchmark = MyBenchmark`. Its worlds are Python objects
    of this process. They are created anew to fork a trial, or to resume one by
    repeating its calls.
    """

    name: ClassVar[str] = ""
    """The name in journals; if empty, the class's name in lower case."""
    summary: ClassVar[str] = ""
    """One line for lists of benchmarks."""
    citations: _Citations = "asked"
    """`asked` if an answer has to name its sources. `none` if the benchmark has no
    documents: the prompt and the gates leave citations out, and an answer may be empty."""
    outcomes: Outcomes | None = None
    """How a trial may end, for prompts and gates. None: the general outcomes, or those of the platform
    if the benchmark's own code or data names one that only the platform has."""
    repeats_all_calls: bool = True
    """What a resumed trial repeats in its new environment. True: all its calls,
    because `grade` may judge the list of calls (`TaskEnvironment.calls`). False:
    only calls that act."""
    has_scores: bool = True
    """False if nothing is graded."""
    scale: tuple[float, float] = UNIT_SCALE
    """The lowest and the highest score. What is not on this scale is no score: it is told, and
    the trial has none."""

    def __init__(
        self,
        argument: str = "",
        settings: Mapping[str, str] | None = None,
        context: BenchmarkContext | None = None,
    ) -> None:
        """Create the benchmark.

        `argument` is the part of `--benchmark NAME:ARGUMENT` after the colon.
        `settings` are the options of `--set`.
        """
        self.argument = argument
        self.settings = settings or {}
        self.context = context or BenchmarkContext()

    @abstractmethod
    def task_ids(self) -> Sequence[str]:
        """Return the ids of all tasks. Each is a name or `FAMILY.NAME`."""

    @abstractmethod
    def generate(self, task_id: str) -> tuple[str, Any]:
        """Return the instruction of a task, and a new environment that no other trial uses.

        The environment is a `TaskEnvironment`, or an object of the benchmark with the
        methods of `controlplane.agent.evidence.Environment`.
        """

    @abstractmethod
    def grade(self, task_id: str, environment: Any) -> Graded:
        """Return the score of a trial that has ended in this environment.

        The score is within the scale. It may come with lines that say why it is not the
        best score, and with further metrics by name.
        """

    def preview(self, task_id: str) -> str:
        """Return the beginning of a task's instruction, for lists of tasks.

        It is empty if it is unknown before the task is generated.
        """
        return ""

    def player(self) -> Model | None:
        """Return a model that plays if the user names none; None if the benchmark has none.

        If the benchmark knows the right way to do its tasks (`truth`), the model does them
        that way. So a run shows whether the grader and the gates accept right work.
        """
        # A subclass knows the truth if it has a method `truth` of its own.
        overrides_truth = type(self).truth is not ToolBenchmark.truth
        return _TruthPlayer(self.truth) if overrides_truth else None

    def truth(self, task_id: str) -> Truth | None:
        """Return the right calls and the right answer of a task; None if they are not known."""
        return None

    def close(self) -> None:
        """Release resources. Called when the run is over."""
        return

    def opened(self) -> OpenedBenchmark:
        """Return the benchmark as a run uses it.

        Raises `BenchmarkError` for a tool that does not declare whether it changes
        anything (its effect), and for a `scale` that is none.
        """
        try:
            scale = ScoreScale.of(self.scale)
        except ValueError as error:
            raise BenchmarkError(error_codes.INVALID_ARGUMENT, str(error)) from error
        runs = _ToolBenchmarkRuns(self, scale)
        for task_id in islice(runs.task_ids, 1):
            # Create one world, only to check its tools. The tasks of a benchmark mostly
            # have the same tools, so the first task is enough.
            trial_id = runs.trial_id(TaskTry(task_id, 0), seed=0, token=UNPLAYED_TOKEN)
            runs.generate(trial_id)
        return OpenedBenchmark(
            runs,
            ended_elsewhere=runs.take_score,
            rebuilds_trials=True,
            tool_schemas=runs.tool_schemas,
            scale=scale,
            outcomes=self.outcomes,
        )


# A benchmark that consists of a list of tasks, for programs that need no class of their own.
#
# `controlplane.run([Task("sum", "Add 2 and 3.", grade=...)])` makes one of its tasks.

# A task as data: what an agent is asked, what it can use, and how its work is graded.
#
# `Task("sum", "Add 2 and 3.", grade=lambda environment: environment.answer == "5")`


@dataclass(frozen=True, slots=True)
class Task:
    """A task as data, for `controlplane.run` to play."""

    task_id: str
    """A name, or `FAMILY.NAME`."""
    instruction: str
    """The request to the agent."""
    files: Mapping[str, str] = field(default_factory=dict)
    """The texts that scripts see, by absolute path."""
    tools: Sequence[Tool] = ()
    """The functions that scripts call. If they keep state, use `environment` instead."""
    policy: str = ""
    """A text that the first message shows and that the answer has to follow."""
    clock: datetime | None = None
    """The time that scripts see; None for no clock."""
    grade: Callable[[TaskEnvironment], Graded] | None = None
    """Grades how a trial ended, as `ToolBenchmark.grade` does. None: the task has no score."""
    environment: Callable[[], TaskEnvironment] | None = None
    """Creates the environment of a trial, in place of files, tools, policy and clock."""

    def __post_init__(self) -> None:
        """Raise `TypeError` for what would fail only in a run, after the model was paid."""
        check_kind("the id of a task", self.task_id, str, "is a text")
        task = f"of the task {self.task_id:.100}"
        instruction = self.instruction or None
        check_kind(f"the instruction {task}", instruction, str, "is a text")
        functions = {"environment": self.environment, "grade": self.grade}
        for name, function in functions.items():
            if function is not None:
                check_kind(f"the {name} {task}", function, Callable, "is a function")
        if inspect.iscoroutinefunction(self.grade):
            msg = f"the grade {task} is async: give a function that returns the score"
            raise TypeError(msg)


_UNGRADED: Final = "its task has no grader"


class TaskList(ToolBenchmark):
    """A benchmark whose tasks are given as data."""

    name = "tasks"

    def __init__(
        self,
        tasks: Iterable[Task],
        *,
        citations: _Citations = "asked",
        player: Model | None = None,
        scale: tuple[float, float] = UNIT_SCALE,
        outcomes: Outcomes | None = None,
    ) -> None:
        """Create the benchmark. Raises `TypeError` for an object that is not a task.

        - `citations`: `none` if answers name no documents.
        - `player`: a model that plays if the user names none.
        - `scale`: the lowest and the highest score.
        - `outcomes`: how a trial may end. None: the general outcomes, or those of the platform if a
          task or its grader names one that only the platform has.
        """
        super().__init__()
        self.citations = citations
        self.scale = scale
        self.outcomes = outcomes
        self.has_scores = False
        self._player = player
        self._ids: list[str] = []
        self._tasks: dict[str, Task] = {}
        for task in tasks:
            if not isinstance(task, Task):
                msg = f"a controlplane.Task is needed, not {task!r:.200}"
                raise TypeError(msg)
            self._ids.append(task.task_id)
            self._tasks[task.task_id] = task
            if task.grade is not None:
                self.has_scores = True

    def task_ids(self) -> Sequence[str]:
        """Return the ids in the order in which the tasks were given."""
        return self._ids

    def generate(self, task_id: str) -> tuple[str, TaskEnvironment]:
        """Return the instruction of a task and a new environment."""
        task = self._tasks[task_id]
        if task.environment is not None:
            return task.instruction, task.environment()
        environment = TaskEnvironment(
            task.tools, files=task.files, policy=task.policy, clock=task.clock
        )
        return task.instruction, environment

    def grade(self, task_id: str, environment: TaskEnvironment) -> Graded:
        """Return the result of the task's own grader; no score if the task has none."""
        grade = self._tasks[task_id].grade
        return Grade(None, (_UNGRADED,)) if grade is None else grade(environment)

    def preview(self, task_id: str) -> str:
        """Return the instruction."""
        return self._tasks[task_id].instruction

    def player(self) -> Model | None:
        """Return the model that plays if the user names none; None without one."""
        return self._player
