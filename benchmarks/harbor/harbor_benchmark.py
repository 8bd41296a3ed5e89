"""The benchmark `harbor:DIR`: tasks in Harbor's format. Each trial has its own container.

The agent works in the container by a shell and files. Then a verifier, which is the task's
own program, runs in the same container and leaves the score there. If a run is stopped,
the containers of open trials stay, and a resumed run goes on in them.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
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
    ListedTask,
    OpenedBenchmark,
    RunResult,
    Trial,
)
from controlplane.benchmarks.containers import container_settings
from controlplane.benchmarks.containers.container_probe import container_finding
from controlplane.benchmarks.containers.container_runtime import (
    ContainerRuntime,
    find_runtime,
)
from controlplane.benchmarks.containers.runtime_program import (
    CommandInterrupted,
    ContainerError,
)
from controlplane.benchmarks.harbor.harbor_settings import HarborSettings
from controlplane.benchmarks.harbor.players import IdlePlayer, SolutionPlayer
from controlplane.benchmarks.harbor.run_beginning import RunBeginning, run_notices
from controlplane.benchmarks.harbor.tasks.harbor_task import HarborTask
from controlplane.benchmarks.harbor.tasks.playable_tasks import (
    PlayableTasks,
    playable_tasks,
)
from controlplane.benchmarks.harbor.tasks.task_folder import TaskFileError, read_tasks
from controlplane.benchmarks.harbor.terminal_environment import TerminalEnvironment
from controlplane.benchmarks.harbor.terminal_schema import GRACE_S, tool_schema_of
from controlplane.benchmarks.harbor.trial_containers import (
    TrialContainer,
    TrialContainers,
)
from controlplane.benchmarks.harbor.trial_grading import TrialGrading
from controlplane.local_benchmark.generated_trial import GeneratedTrial
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
    BenchmarkOption(
        "scale",
        "which rewards are scores: those from 0 to 1 (unit, the default), or any finite number",
        ("unit", "any"),
    ),
)
INVALID: Final = error_codes.INVALID_ARGUMENT


class HarborBenchmark(LocalBenchmark):
    """The tasks of one folder. Created for each run; called from many threads at once."""

    def __init__(
        self,
        playable: PlayableTasks,
        runtime: ContainerRuntime,
        settings: HarborSettings,
        context: BenchmarkContext,
    ) -> None:
        super().__init__(NAME, playable.tasks.keys())
        self.solution_player = SolutionPlayer(playable.tasks)
        self._playable = playable
        self._settings = settings
        self._context = context
        self._containers = TrialContainers(runtime, settings.containers)
        notices = run_notices(playable, settings.containers, runtime)
        self._beginning = RunBeginning(notices, self._containers)
        self._grading = TrialGrading(
            settings, self._containers, self.solution_player, context
        )

    def describe(self, preview_seed: int | None = None) -> Description:
        """Return the tasks that can be played. The summary lists the others with their reasons."""
        tasks = self._playable.tasks.values()
        listed_tasks = tuple(
            ListedTask(task.task_id, task.instruction) for task in tasks
        )
        return Description(NAME, self._playable.summary, listed_tasks)

    def generate(self, trial_id: str) -> GeneratedTrial:
        """Find or start a trial's container, and return the trial and its grader.

        A resumed run finds the container of the trial again, with the files that it has
        left there. Raises `BenchmarkError`.
        """
        task_id, run_token = self.parts_of(trial_id)  # The token is that of the run.
        task = self._playable.tasks[task_id]
        agent = task.file.agent  # The table `[agent]` of task.toml.
        opened = self._open_container(task, trial_id, run_token)
        place = opened.command_place(agent, self._settings.containers)
        environment = TerminalEnvironment(opened.container, place, agent.timeout_sec)
        trial = Trial(
            trial_id,
            task_id,
            task.instruction,
            environment,
            # A resumed trial in a fresh container has lost the files of its old one. As the
            # option `lost_container` says, it begins anew, or repeats its recorded calls.
            is_fresh=opened.is_fresh,
            begins_anew=self._settings.restarts_lost_trials,
            time_limit_s=agent.timeout_sec,
        )
        return GeneratedTrial(trial, partial(self._grading.grade, task, opened))

    def _open_container(
        self, task: HarborTask, trial_id: str, run_token: str
    ) -> TrialContainer:
        """Find or start a trial's container; the first one begins the run.

        Raises `BenchmarkError`.
        """
        try:
            self._beginning.begin_once(self._context)
            return self._containers.open(task, trial_id, run_token)
        except ContainerError as error:
            # The trial can be started again. The code FAILED_PRECONDITION would be wrong: it
            # stands for a trial that has ended.
            msg = f"{task.task_id}: {error}"
            raise BenchmarkError(error_codes.INTERNAL, msg) from error
        except CommandInterrupted as error:
            msg = f"{task.task_id}: its container did not start, because the run is being stopped"
            raise BenchmarkError(error_codes.UNAVAILABLE, msg) from error

    def submit_run(self, run_id: str, *, force: bool) -> RunResult:
        """Close the run and remove all its containers that are left.

        If these cannot be removed, the user is told; the result counts all the same.
        """
        result = super().submit_run(run_id, force=force)
        try:
            self._containers.remove_all(RunId.of(run_id, self.name).token)
        except ContainerError as error:
            self._context.notify(f"containers of the run may be left: {error}")
        except CommandInterrupted:
            self._context.notify("containers of the run may be left: it was stopped")
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
    """Open the tasks of the folder `argument`.

    `settings` are the user's `--set` options. Raises `BenchmarkError` if the folder is
    missing, if there is neither podman nor docker, or if no task can be played here.
    """
    if not argument:
        raise BenchmarkError(INVALID, f"which folder? Name it as {NAME}:DIR")
    root = Path(argument).expanduser()
    harbor_settings = HarborSettings.parse(settings, os.environ)
    runtime_name = harbor_settings.containers.runtime
    try:
        folder = read_tasks(root)
        runtime = find_runtime(runtime_name, os.environ, context.stop, context.notify)
    except (TaskFileError, ContainerError) as error:
        raise BenchmarkError(INVALID, str(error)) from error
    playable = playable_tasks(folder, harbor_settings.containers)
    if not playable.tasks:
        reasons = "; ".join(playable.refusal_lines)
        msg = f"none of the tasks can be played here: {reasons}"
        raise BenchmarkError(INVALID, msg)

    benchmark = HarborBenchmark(playable, runtime, harbor_settings, context)
    # Users choose a player by its name, in place of a model.
    players: dict[str, Model] = {
        SolutionPlayer.name: benchmark.solution_player,
        IdlePlayer.name: IdlePlayer(),
    }
    return OpenedBenchmark(
        benchmark,
        # A run may be resumed in another working folder, so the whole path is recorded.
        resume_identity=BenchmarkIdentity(f"{NAME}:{root.resolve()}", dict(settings)),
        # Called with the score of a trial that another process has graded.
        ended_elsewhere=benchmark.take_score,
        # Why trials cannot run on other machines, and what the user should do.
        stays_here="its containers are on this machine: leave out --workers",
        # Changes with the files of the tasks, which make the worlds of the trials.
        world_version=folder.digest,
        scale=harbor_settings.scale,
        rebuilds_trials=True,  # If a container is lost, a new one gets the same calls.
        # The tasks' operations differ only in the time limit, which does not matter here.
        tool_schemas=lambda task_ids: [tool_schema_of(agent_timeout_s=0)],
        players=players,
        machine_check=partial(
            container_finding, runtime, harbor_settings.containers, playable.images
        ),
        # A build, an agent's command or a verifier says nothing for so long.
        longest_silence_s=playable.longest_timeout_s + GRACE_S,
    )
