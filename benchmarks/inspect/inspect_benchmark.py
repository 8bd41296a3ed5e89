"""The benchmark `inspect:FILE.py@TASK`: plays tasks of Inspect (the extra `inspect`).

An Inspect task has a dataset of samples, solvers that prepare a sample and then
call a function `generate` to ask the model, tools, and scorers. A trial plays
one sample in three phases:

1. The solvers run until they ask the model. The messages prepared so far become the
   instruction of the trial.
2. The trial is played: the control plane's model calls the tools and answers.
3. The solvers run again from the start. When they ask the model this time, they get the
   trial's tool calls and answer. The scorers then judge the final state.

A scorer that asks a model uses the run's model for the role `grade`. For a sample with
`sandbox="docker"`, each trial gets its own container. Samples that cannot be played on
this machine are left out, and a notice gives the reason.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from controlplane import (
    BenchmarkContext,
    BenchmarkOption,
    OpenedBenchmark,
    TaskEnvironment,
    ToolBenchmark,
)
from controlplane.benchmarks.containers import container_settings
from controlplane.benchmarks.inspect.inspect_context import InspectContext
from controlplane.benchmarks.inspect.inspect_samples import load_samples
from controlplane.benchmarks.inspect.inspect_tasks import refusal
from controlplane.benchmarks.inspect.run_beginning import RunBeginning
from controlplane.benchmarks.inspect.sample_sandboxes import SampleSandboxes
from controlplane.benchmarks.inspect.sample_scores import score_sample
from controlplane.benchmarks.inspect.sample_state import instruction_of
from controlplane.benchmarks.inspect.solver_runs import (
    PreparedSample,
    prepare_sample,
    state_after_trial,
)
from controlplane.benchmarks.inspect.trial_world import world_of
from controlplane.errors import extra_module
from controlplane.local_benchmark.generated_trial import Grade
from controlplane.score_scale import ANY_NUMBER
from controlplane.tool_benchmark.graded import Graded

OPTIONS: Final = (
    BenchmarkOption("args", "arguments of the task, as NAME=VALUE,NAME=VALUE"),
    BenchmarkOption(
        "strict",
        "yes: refuse a task if one of its samples cannot be played here; no: leave such samples out",
        choices=("no", "yes"),
    ),
    BenchmarkOption(
        "files", "a folder from which samples may have files, beside the task's own"
    ),
    *container_settings.OPTIONS,
)


class InspectBenchmark(ToolBenchmark):
    """The samples of one task, or of all tasks of a file.

    Each sample of Inspect is a task of the control plane, with an id such as `words.heron`:
    the name of Inspect's task, and the id of the sample. Solvers are Inspect's functions
    that prepare the messages of a sample and ask the model; scorers judge its answer.
    """

    name = "inspect"
    citations = "none"
    scale = ANY_NUMBER  # Each scorer has a scale of its own.

    def __init__(
        self, argument: str, settings: Mapping[str, str], context: BenchmarkContext
    ) -> None:
        """Load the samples. Raises `BenchmarkError` if none can be played, and `UsageError`."""
        super().__init__(argument, settings, context)
        extra_module("inspect_ai", "a task of Inspect", extra="inspect")
        if not argument:
            msg = "which task? Name it as inspect:FILE.py@TASK, or inspect:PACKAGE/TASK"
            raise refusal(msg)
        loaded = load_samples(argument, settings, context)
        self._samples = loaded.playable
        self._sandboxes = SampleSandboxes(loaded.containers)
        self._beginning = RunBeginning(loaded.notices, self._sandboxes, context)
        self._is_opened = False
        """From then on, `generate` is called for trials, and starts their containers."""

    def opened(self) -> OpenedBenchmark:
        """Return the benchmark as a run uses it."""
        # The superclass calls `generate` for one sample, to look at the tools of its world.
        # That needs no container.
        opened = super().opened()
        self._is_opened = True
        return replace(opened, machine_check=self._sandboxes.machine_check)

    def close(self) -> None:
        """Remove the sandboxes of unfinished trials. A resumed trial gets a new one."""
        self._sandboxes.close()

    def task_ids(self) -> Sequence[str]:
        """Return the ids of all samples."""
        return list(self._samples)

    def generate(self, task_id: str) -> tuple[str, TaskEnvironment]:
        """Return the instruction of a trial, and its world with the sample's tools.

        The instruction is the messages that the sample's solvers prepare for the model.
        Raises `BenchmarkError` if they never ask the model, or if a message is not text.
        """
        playable = self._samples[task_id]
        sandbox = None
        if self._is_opened:
            self._beginning.begin_once()
            sandbox = self._sandboxes.start(playable)  # None if the sample needs none.
        context = InspectContext(self.context, sandbox)
        prepared = prepare_sample(playable, context)
        instruction = instruction_of(prepared.task_state, task_id)
        return instruction, world_of(prepared)

    def grade(self, task_id: str, environment: TaskEnvironment) -> Graded:
        """Return the first scorer's score, all explanations, and every score by name.

        The trial's sandbox is removed, even if a scorer fails.
        """
        prepared: PreparedSample = environment.state  # As `world_of` has put it there.
        try:
            state = state_after_trial(prepared, environment)
            scores = score_sample(prepared, state)
        finally:
            self._sandboxes.remove(prepared.context.sandbox)
        if scores.first is None:
            return Grade(None, tuple(scores.explanations), scores.by_name)
        return scores.first, scores.explanations, scores.by_name


open_benchmark = InspectBenchmark
