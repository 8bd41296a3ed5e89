"""The benchmark `harbor:DIR`: tasks in Harbor's format. Each trial has its own container."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from controlplane.agent.model import Model
from controlplane.benchmark import (
    BenchmarkContext,
    BenchmarkError,
    BenchmarkIdentity,
    BenchmarkOption,
    Description,
    OpenedBenchmark,
    RunResult,
    TaskStub,
    Trial,
)
from controlplane.benchmarks.containers import container_settings
from controlplane.benchmarks.containers.container_command import CommandPlace
from controlplane.benchmarks.containers.container_runtime import (
    CommandInterrupted,
    ContainerError,
    find_runtime,
)
from controlplane.benchmarks.containers.container_settings import ContainerSettings
from controlplane.benchmarks.harbor.players import IdlePlayer, SolutionPlayer
from controlplane.benchmarks.harbor.task_file import (
    HarborTask,
    PhaseTable,
    TaskFileError,
    read_tasks,
)
from controlplane.benchmarks.harbor.task_notices import (
    disk_notices,
    missing_variables,
    network_notices,
)
from controlplane.benchmarks.harbor.terminal_environment import (
    GRACE_S,
    TerminalEnvironment,
    tool_schema_of,
)
from controlplane.benchmarks.harbor.trial_containers import (
    TrialContainer,
    TrialContainers,
)
from controlplane.benchmarks.harbor.verifier import grade_of
from controlplane.local_benchmark.generated_trial import GeneratedTrial, Grade
from controlplane.local_benchmark.local_benchmark import LocalBenchmark
from controlplane.local_benchmark.run_ids import RunId
from controlplane.sandbox.interface import error_codes

NAME: Final = "harbor"
LOST_CONTAINERS: Final = ("repeat", "restart")
OPTIONS: Final = (
    *container_settings.OPTIONS,
    BenchmarkOption(
        "lost_container",
        "if a container is gone when a run is resumed: repeat the calls that may have changed "
        "something (the default), or restart the trial",
        LOST_CONTAINERS,
    ),
    BenchmarkOption("reward", "the key of reward.json that is the score"),
)
INVALID: Final = error_codes.INVALID_ARGUMENT
FAILED: Final = error_codes.FAILED_PRECONDITION


@dataclass(frozen=True, slots=True)
class HarborSettings:
    """The options of the user."""

    containers: ContainerSettings
    restarts_lost_trials: bool
    """What a resumed run does if a trial's container is gone: True to start the trial again.

    False to repeat its recorded calls in a new container.
    """
    reward: str
    """The key in reward.json whose value is the score; empty for the default."""

    @classmethod
    def parse(
        cls, options: Mapping[str, str], environment: Mapping[str, str]
    ) -> HarborSettings:
        """Return the settings for these options. Raises `BenchmarkError`."""
        return cls(
            containers=ContainerSettings.parse(options, environment),
            restarts_lost_trials=options.get("lost_container") == "restart",
            reward=options.get("reward", ""),
        )


class HarborBenchmark(LocalBenchmark):
    """The tasks of one folder. Created for each run; called from many threads at once."""

    def __init__(
        self, root: Path, settings: HarborSettings, context: BenchmarkContext
    ) -> None:
        """Read the tasks and find podman or docker.

        Raises `BenchmarkError` if that fails, or if no task can be played here.
        """
        try:
            folder = read_tasks(root)
            self._runtime = find_runtime(
                settings.containers.runtime, os.environ, context.stop
            )
        except (TaskFileError, ContainerError) as error:
            raise BenchmarkError(INVALID, str(error)) from error
        self._settings = settings
        self._context = context
        self._tasks: dict[str, HarborTask] = {}
        """The tasks that can be played, by id."""
        self._refusals = dict(folder.refusals)
        """Why the other tasks cannot be played, by id."""
        for task_id, task in folder.tasks.items():
            missing = missing_variables(task, settings.containers)
            if missing:
                hint = f"--set env={','.join(missing)}"
                reason = f"it needs variables of this machine: {hint}"
                self._refusals[task_id] = reason
            else:
                self._tasks[task_id] = task
        if not self._tasks:
            reasons = "; ".join(self._refusal_lines())
            msg = f"none of the tasks can be played here: {reasons}"
            raise BenchmarkError(INVALID, msg)

        super().__init__(NAME, dict.fromkeys(self._tasks))
        self.root = root
        self.digest = folder.digest
        self.solution_player = SolutionPlayer(self._tasks)
        self._containers = TrialContainers(self._runtime, settings.containers)
        self._begin_lock = threading.Lock()
        self._has_begun = False

    def _refusal_lines(self) -> list[str]:
        return [f"{task_id}: {reason}" for task_id, reason in self._refusals.items()]

    def describe(self, preview_seed: int | None = None) -> Description:
        """Return the tasks that can be played. The summary lists the others with their reasons."""
        stubs = tuple(
            TaskStub(task.task_id, task.instruction) for task in self._tasks.values()
        )
        summary = f"{len(stubs)} tasks in containers"
        if self._refusals:
            summary += f"; not supported: {'; '.join(self._refusal_lines())}"
        return Description(NAME, summary, stubs)

    @property
    def longest_wait_s(self) -> float:
        """The longest time that one build, trial or verifier may take."""
        times = [0.0]
        for task in self._tasks.values():
            file = task.file
            times += [
                file.environment.build_timeout_sec,
                file.agent.timeout_sec,
                file.verifier.timeout_sec,
            ]
        return max(times) + GRACE_S

    # A trial

    def generate(self, trial_id: str) -> GeneratedTrial:
        """Find or start a trial's container, and return the trial and its grader.

        Raises `BenchmarkError`.
        """
        task_id, run_token = self.parts_of(trial_id)
        task = self._tasks[task_id]
        try:
            self._begin_once()
            opened = self._containers.open(task, trial_id, run_token)
        except ContainerError as error:
            # Not FAILED_PRECONDITION: with that code, the trial would count as ended.
            raise BenchmarkError(error_codes.INTERNAL, f"{task_id}: {error}") from error
        except CommandInterrupted as error:
            msg = f"{task_id}: its image was not finished, because the run is being stopped"
            raise BenchmarkError(error_codes.UNAVAILABLE, msg) from error

        agent = task.file.agent
        place = self._place(agent, opened)
        environment = TerminalEnvironment(opened.container, place, agent.timeout_sec)
        trial = Trial(
            trial_id,
            task_id,
            task.instruction,
            environment,
            is_fresh=opened.is_fresh,
            begins_anew=self._settings.restarts_lost_trials,
            time_limit_s=agent.timeout_sec,
        )
        return GeneratedTrial(trial, partial(self._grade, task, opened))

    def _place(self, phase: PhaseTable, opened: TrialContainer) -> CommandPlace:
        """Return the user, folder and variables of the agent's or the verifier's commands."""
        return CommandPlace(
            user=str(phase.user) or opened.user,
            workdir=opened.workdir,
            variables=self._settings.containers.filled_in(phase.env),
        )

    def _begin_once(self) -> None:
        """Tell the user what tasks lack on this machine, and find containers left earlier.

        Only the first trial does this; other trials wait for it.
        """
        with self._begin_lock:
            if self._has_begun:
                return
            self._has_begun = True
            for notice in self._notices():
                self._context.notify(notice)
            self._containers.find_earlier()

    def _notices(self) -> Iterator[str]:
        """Yield what the tasks lack on this machine or by the settings."""
        for line in self._refusal_lines():
            yield f"not played, {line}"
        tasks = self._tasks.values()
        yield from network_notices(tasks, self._settings.containers)
        unenforced = ", ".join(self._runtime.unenforced_limits())
        if unenforced:
            yield f"{self._runtime.name} cannot limit {unenforced} of containers here"
        yield from disk_notices(tasks, self._settings.containers)

    def _grade(self, task: HarborTask, opened: TrialContainer) -> Grade:
        """Run the verifier of a trial that has ended, and remove the container."""
        try:
            self._containers.begin_verifier(opened.container, task)
        except ContainerError as error:
            raise BenchmarkError(FAILED, str(error)) from error
        place = self._place(task.file.verifier, opened)
        grade = grade_of(opened.container, task, place, self._settings.reward)
        # The solution player runs a task's own solution instead of a model.
        if task.task_id in self.solution_player.played:
            self._tell_of_failed_solution(task, grade)
        self._containers.end(opened.container)
        return grade

    def _tell_of_failed_solution(self, task: HarborTask, grade: Grade) -> None:
        """Tell the user if a task's own solution does not get the full reward."""
        if grade.score is None:
            score = "no reward"
        elif grade.score < 1:
            score = f"the reward {grade.score:g}"
        else:
            return
        self._context.notify(f"{task.task_id}: its own solution gets {score}")

    # A run

    def submit_run(self, run_id: str, *, force: bool) -> RunResult:
        """Close the run and remove all its containers that are left."""
        result = super().submit_run(run_id, force=force)
        try:
            self._containers.remove_all(RunId.of(run_id, self.name).token)
        except ContainerError as error:
            self._context.notify(f"containers of the run may be left: {error}")
        return result

    def close(self) -> None:
        """Stop the containers of open trials. A resumed run starts them again."""
        open_trials = self._runs.open_trials()
        super().close()
        for trial_id in open_trials:
            self._containers.stop(trial_id)


def open_benchmark(
    argument: str, settings: Mapping[str, str], context: BenchmarkContext
) -> OpenedBenchmark:
    """Open the tasks of the folder `argument`. Raises `BenchmarkError`."""
    if not argument:
        raise BenchmarkError(INVALID, f"which folder? Name it as {NAME}:DIR")
    root = Path(argument).expanduser()
    benchmark = HarborBenchmark(
        root, HarborSettings.parse(settings, os.environ), context
    )
    idle_player = IdlePlayer()
    players: dict[str, Model] = {
        benchmark.solution_player.name: benchmark.solution_player,
        idle_player.name: idle_player,
    }
    return OpenedBenchmark(
        benchmark,
        resume_identity=BenchmarkIdentity(f"{NAME}:{root.resolve()}", dict(settings)),
        ended_elsewhere=benchmark.take_score,
        stays_here="its containers are on this machine: leave out --workers",
        world_version=benchmark.digest,
        rebuilds_trials=True,
        # The tasks' operations differ only in the time limit, which does not matter here.
        tool_schemas=lambda task_ids: [tool_schema_of(agent_timeout_s=0)],
        players=players,
        longest_silence_s=benchmark.longest_wait_s,
    )
