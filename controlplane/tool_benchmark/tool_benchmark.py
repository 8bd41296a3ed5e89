"""Benchmarks written as three methods: list the tasks, generate one, and grade its end.

class Bank(ToolBenchmark):
    def task_ids(self): return ["transfer"]
    def generate(self, task_id): return "Pay the bill.", TaskEnvironment([Tool(pay, "acts")])
    def grade(self, task_id, environment): return 1.0 if environment.calls else 0.0
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any, ClassVar, Literal, TypeAlias

from controlplane.agent.model import Model
from controlplane.benchmark import (
    BenchmarkContext,
    BenchmarkError,
    OpenedBenchmark,
    TaskTry,
)
from controlplane.local_benchmark.trial_ids import UNPLAYED_TOKEN
from controlplane.sandbox.interface import error_codes
from controlplane.score_scale import UNIT_SCALE, ScoreScale
from controlplane.tool_benchmark.graded import Graded
from controlplane.tool_benchmark.tool_benchmark_runs import ToolBenchmarkRuns
from controlplane.tool_benchmark.truth import Truth
from controlplane.tool_benchmark.truth_player import TruthPlayer

Citations: TypeAlias = Literal["asked", "none"]
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
    citations: Citations = "asked"
    """`asked` if an answer has to name its sources. `none` if the benchmark has no
    documents: the prompt and the gates leave citations out, and an answer may be empty."""
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
        return TruthPlayer(self.truth) if overrides_truth else None

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
        runs = ToolBenchmarkRuns(self, scale)
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
        )
