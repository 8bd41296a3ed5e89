"""The benchmark `harbor:DIR`: tasks in Harbor's format. Each trial has its own
container.

The container exists as long as its trial is open, so a resumed run can use it again.
When a trial ends, its container is first renamed and then removed. If this process is
killed in between, the next start recognizes the name and removes the container.
"""

from __future__ import annotations

import hashlib
import os
import threading
import time
from collections.abc import Mapping
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
from controlplane.benchmarks.containers.container_images import ContainerImages
from controlplane.benchmarks.containers.container_runtime import (
    ENDED_SUFFIX,
    OWNER_LABEL,
    RUN_LABEL,
    TRIAL_LABEL,
    CommandInterrupted,
    Container,
    ContainerError,
    ContainerLimits,
    ContainerSpec,
    ImageDefaults,
    find_runtime,
    last_lines,
    owner,
)
from controlplane.benchmarks.containers.container_settings import (
    ContainerSettings,
    with_host_variables,
)
from controlplane.benchmarks.harbor.players import IdlePlayer, SolutionPlayer
from controlplane.benchmarks.harbor.task_file import (
    HarborTask,
    Healthcheck,
    Phase,
    PhaseTable,
    TaskFileError,
    read_tasks,
)
from controlplane.benchmarks.harbor.terminal_environment import (
    GRACE_S,
    TerminalEnvironment,
    tool_schema_of,
)
from controlplane.benchmarks.harbor.verifier import grade_of
from controlplane.local_benchmark import GeneratedTrial, Grade, LocalBenchmark
from controlplane.sandbox.interface import error_codes
from controlplane.terminal_text import count_text

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
    """True to start a trial again if its container is gone; False to repeat its
    recorded calls."""
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
    """The tasks of one folder. Created for each run; called from many threads at
    once."""

    def __init__(
        self, root: Path, settings: HarborSettings, context: BenchmarkContext
    ) -> None:
        """Raises `BenchmarkError` if the tasks cannot be read or no container runtime
        is found."""
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
            missing = self._missing_variables(task)
            if missing:
                names = ",".join(missing)
                self._refusals[task_id] = (
                    f"it needs variables of this machine: --set env={names}"
                )
            else:
                self._tasks[task_id] = task
        if not self._tasks:
            reasons = "; ".join(self._refusal_lines())
            raise BenchmarkError(
                INVALID, f"none of the tasks can be played here: {reasons}"
            )

        super().__init__(NAME, dict.fromkeys(self._tasks))
        self.root = root
        self.digest = folder.digest
        self.solution_player = SolutionPlayer(self._tasks)
        self._images = ContainerImages(self._runtime, settings.containers)
        self._begin_lock = threading.Lock()
        self._has_begun = False
        self._container_names: set[str] = set()
        """Containers that exist: found at the start of the run, or started since and
        not removed."""

    def _missing_variables(self, task: HarborTask) -> list[str]:
        """Return the environment variables that a task needs and the user has not
        allowed."""
        missing: list[str] = []
        for values in (task.variables, task.file.agent.env, task.file.verifier.env):
            missing += with_host_variables(
                values, self._settings.containers.variables
            ).missing
        return sorted(set(missing))

    def _refusal_lines(self) -> list[str]:
        return [f"{task_id}: {reason}" for task_id, reason in self._refusals.items()]

    def describe(self, preview_seed: int | None = None) -> Description:
        """Return the tasks that can be played. The summary lists the others with their
        reasons."""
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
        name = container_name(trial_id)
        try:
            self._begin_once()
            image = self._image(task)
            defaults = self._images.defaults(image)
            workdir = task.workdir or defaults.workdir
            container = self._existing_container(name)
            is_fresh = container is None
            if container is None:
                labels = {
                    OWNER_LABEL: owner(),
                    RUN_LABEL: run_token,
                    TRIAL_LABEL: trial_id,
                }
                container = self._start_container(task, image, name, labels, workdir)
                self._container_names.add(name)
        except ContainerError as error:
            # With the code FAILED_PRECONDITION, the trial would count as ended.
            raise BenchmarkError(error_codes.INTERNAL, f"{task_id}: {error}") from error
        except CommandInterrupted as error:
            msg = f"{task_id}: its image was not finished, because the run is being stopped"
            raise BenchmarkError(error_codes.UNAVAILABLE, msg) from error

        agent = task.file.agent
        agent_place = self._command_place(agent, defaults, workdir)
        verifier_place = self._command_place(task.file.verifier, defaults, workdir)
        environment = TerminalEnvironment(container, agent_place, agent.timeout_sec)
        trial = Trial(
            trial_id,
            task_id,
            task.instruction,
            environment,
            is_fresh=is_fresh,
            begins_anew=self._settings.restarts_lost_trials,
            time_limit_s=agent.timeout_sec,
        )
        return GeneratedTrial(
            trial, partial(self._grade, task, container, verifier_place)
        )

    def _existing_container(self, name: str) -> Container | None:
        """Return the container of an earlier start of a trial; None if there is
        none."""
        if name not in self._container_names:
            return None
        return self._runtime.find(name)

    def _command_place(
        self, phase: PhaseTable, defaults: ImageDefaults, workdir: str
    ) -> CommandPlace:
        """Return the user, folder and variables of the agent's or the verifier's
        commands."""
        return CommandPlace(
            user=str(phase.user) or defaults.user,
            workdir=workdir,
            variables=self._variables(phase.env),
        )

    def _begin_once(self) -> None:
        """Tell the user what the tasks lack here, and find the containers of an earlier
        start.

        Only the first trial does this; other trials wait for it.
        """
        with self._begin_lock:
            if self._has_begun:
                return
            self._has_begun = True
            for line in self._refusal_lines():
                self._context.notify(f"not played, {line}")
            self._tell_of_networks()
            self._tell_of_limits()
            for name in self._runtime.names({OWNER_LABEL: owner()}):
                if name.endswith(ENDED_SUFFIX):
                    self._runtime.remove(name)
                else:
                    self._container_names.add(name)

    def _tell_of_networks(self) -> None:
        """Report how many tasks need a network that the settings do not allow."""
        settings = self._settings.containers
        refused_agents = 0
        refused_verifiers = 0
        for task in self._tasks.values():
            if task.wants_network("agent") and not settings.agent_network:
                refused_agents += 1
            if task.wants_network("verifier") and not settings.verifier_network:
                refused_verifiers += 1
        if refused_agents:
            tasks = count_text(refused_agents, "task")
            self._context.notify(
                f"the network is off while agents work, but wanted by {tasks}: "
                "--set network=task, or agent_network=task, allows it"
            )
        if refused_verifiers:
            tasks = count_text(refused_verifiers, "task")
            self._context.notify(
                "the network is off while verifiers run, which may then leave no reward, but wanted "
                f"by {tasks}: --set network=task, or verifier_network=task, allows it"
            )

    def _tell_of_limits(self) -> None:
        """Report which limits of containers this machine does not enforce."""
        unenforced = self._runtime.unenforced_limits()
        if unenforced:
            self._context.notify(
                f"{self._runtime.name} cannot limit {', '.join(unenforced)} of containers here"
            )
        tasks_with_disk_size = [
            task for task in self._tasks.values() if task.storage_mb
        ]
        if tasks_with_disk_size and not self._settings.containers.storage:
            tasks = count_text(len(tasks_with_disk_size), "task")
            self._context.notify(
                f"{tasks} name a disk size, which is not enforced: "
                "--set storage=SIZE limits it where the storage driver can"
            )

    def _image(self, task: HarborTask) -> str:
        """Return a task's image: pulled or built.

        Raises `ContainerError` and `CommandInterrupted`.
        """
        timeout_s = task.file.environment.build_timeout_sec
        if task.docker_image:
            return self._images.pulled(task.docker_image, timeout_s)
        return self._images.built(task.build_folder, timeout_s)

    def _start_container(
        self,
        task: HarborTask,
        image: str,
        name: str,
        labels: Mapping[str, str],
        workdir: str,
    ) -> Container:
        """Start a trial's container and wait until it is healthy. Raises
        `ContainerError`."""
        agent_has_network = self._has_network(task, "agent")
        verifier_has_network = self._has_network(task, "verifier")
        spec = ContainerSpec(
            image=image,
            name=name,
            labels=labels,
            variables=self._variables(task.variables),
            limits=self._limits(task),
            # Only a container that starts with a network can be connected later.
            has_network=agent_has_network or verifier_has_network,
        )
        try:
            container = self._runtime.start(spec)
        except ContainerError:
            # A killed process may have started a container with this name. Remove it
            # and try again.
            self._runtime.remove(name)
            container = self._runtime.start(spec)
        try:
            container.script('mkdir -p "$1" /tmp /logs/verifier /logs/agent', workdir)
            if spec.has_network and not agent_has_network:
                container.connect_network(is_on=False)
            if task.file.environment.healthcheck is not None:
                await_health(container, task.file.environment.healthcheck)
        except BaseException:
            self._runtime.remove(name)
            raise
        return container

    def _has_network(self, task: HarborTask, phase: Phase) -> bool:
        """Return True if a phase gets a network: the task asks for it and the user
        allows it."""
        if phase == "agent":
            return self._settings.containers.agent_network and task.wants_network(
                "agent"
            )
        return self._settings.containers.verifier_network and task.wants_network(
            "verifier"
        )

    def _limits(self, task: HarborTask) -> ContainerLimits:
        memory = ""
        if task.memory_mb:
            memory = f"{task.memory_mb:.0f}m"
        elif task.service is not None:
            memory = task.service.memory
        return self._settings.containers.limits(memory, task.cpus)

    def _variables(self, values: Mapping[str, str]) -> dict[str, str]:
        return self._settings.containers.filled_in(values)

    def _grade(
        self, task: HarborTask, container: Container, place: CommandPlace
    ) -> Grade:
        """Run the verifier of a trial that has ended, and remove the container."""
        verifier_has_network = self._has_network(task, "verifier")
        if verifier_has_network != self._has_network(task, "agent"):
            try:
                container.connect_network(is_on=verifier_has_network)
            except ContainerError as error:
                raise BenchmarkError(FAILED, str(error)) from error
        grade = grade_of(container, task, place, self._settings.reward)

        solution_was_played = task.task_id in self.solution_player.played
        if solution_was_played and (grade.score is None or grade.score < 1):
            score = (
                "no reward" if grade.score is None else f"the reward {grade.score:g}"
            )
            self._context.notify(f"{task.task_id}: its own solution gets {score}")
        self._end(container.name)
        return grade

    def _end(self, name: str) -> None:
        """Remove the container of a trial that has ended."""
        self._runtime.mark_ended(name)
        self._runtime.remove(name + ENDED_SUFFIX)
        self._container_names.discard(name)

    # A run

    def submit_run(self, run_id: str, *, force: bool) -> RunResult:
        """Close the run and remove all its containers that are left."""
        result = super().submit_run(run_id, force=force)
        token = self._parse_run_id(run_id).token
        try:
            for name in self._runtime.names({OWNER_LABEL: owner(), RUN_LABEL: token}):
                self._runtime.remove(name)
        except ContainerError as error:
            self._context.notify(f"containers of the run may be left: {error}")
        return result

    def close(self) -> None:
        """Stop the containers of open trials. A resumed run starts them again."""
        open_trials = list(self._open)
        super().close()
        for trial_id in open_trials:
            self._runtime.stop(container_name(trial_id))


def container_name(trial_id: str) -> str:
    """Return the name of a trial's container."""
    digest = hashlib.sha256(trial_id.encode()).hexdigest()
    return f"controlplane-{digest[:20]}"


def await_health(container: Container, check: Healthcheck) -> None:
    """Wait until a container's health check succeeds. Raises `ContainerError` if it
    keeps failing.

    Failures during the start period do not count toward `retries`.
    """
    began = time.monotonic()
    failures = 0
    while True:
        result = container.run(
            ["sh", "-c", check.command], user="0:0", timeout_s=check.timeout_sec
        )
        if result.exit_code == 0:
            return
        is_starting = time.monotonic() - began < check.start_period_sec
        if not is_starting:
            failures += 1
        if failures >= check.retries:
            output = last_lines(result.stdout + result.stderr)
            raise ContainerError("\n".join(["the container is not healthy", *output]))
        time.sleep(check.start_interval_sec if is_starting else check.interval_sec)


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
        # The tasks' operations differ only in the time limit, which does not matter
        # here.
        tool_schemas=lambda task_ids: [tool_schema_of(agent_timeout_s=0)],
        players=players,
        longest_silence_s=benchmark.longest_wait_s,
    )
