"""Starts, finds and removes the containers of this machine, with podman or docker.

Containers have labels with their owner, their run and their trial. By these, a resumed run
finds the containers that an earlier process has started.
"""

from __future__ import annotations

import os
import secrets
import shutil
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import re2

from controlplane.benchmark import BenchmarkContext, MachineFinding
from controlplane.benchmarks.containers.container import Container
from controlplane.benchmarks.containers.container_images import ContainerImages
from controlplane.benchmarks.containers.container_settings import (
    RUNTIMES,
    ContainerSettings,
    remove_abandoned_files,
    run_flags_of_proxies,
    variable_flags,
)
from controlplane.benchmarks.containers.runtime_program import (
    ContainerError,
    RuntimeProgram,
    go_on,
    is_gone,
)
from controlplane.benchmarks.containers.task_values import check_image
from controlplane.quantity_texts import count_text

# Describes a container that is to be started, and how podman or docker starts it.
#
# A container starts as `podman run ... IMAGE`. The entry point of its image runs, with a command that
# only waits unless the task names another one. Commands then run in it, one after another.

STARTED_FILE: Final = "/tmp/.controlplane-started"
"""Is made by `_IDLE_COMMAND`: the entry point of the image has done what it does before it."""
_IDLE_COMMAND: Final = (
    f"true 2>/dev/null >{STARTED_FILE}; "
    'trap "exit 0" TERM; while :; do sleep 3600 & wait $!; done'
)
"""What a container waits with until it is stopped, and then exits at once.

A plain `sleep` would ignore the signal to stop, so `sleep` runs in the background
of a shell. The shell handles the signal, and also cleans up processes
that lost their parent.
"""
IDLE_WORDS: Final = ("/bin/sh", "-c", _IDLE_COMMAND)


@dataclass(frozen=True, slots=True)
class ContainerSpec:
    """A container to start."""

    image: str
    name: str
    labels: Mapping[str, str]
    variables: Mapping[str, str] = field(default_factory=dict)
    has_network: bool = False
    """True for the runtime's own network, which reaches what this machine reaches."""
    entrypoint: tuple[str, ...] | None = None
    """None for the image's."""
    command: tuple[str, ...] | None = IDLE_WORDS
    """None for the image's."""
    flags: tuple[str, ...] = ()
    """Further arguments, each made of checked values."""

    def run_words(
        self, user_flags: Sequence[str], variable_flags: Sequence[str]
    ) -> list[str]:
        """Return the arguments of podman or docker that start it.

        The names and values of its variables are not among them: `variable_flags` names a
        file that has them. Raises `TaskValueError`.
        """
        check_image(self.image)
        # Without a log: whatever the first process prints would fill the disk of this machine.
        words = ["run", "--detach", "--pull=never", "--log-driver=none"]
        # Podman would run the image's HEALTHCHECK by timers of this machine, and keep its output.
        words += ["--no-healthcheck", *user_flags]
        words.append(f"--name={self.name}")
        for name, value in self.labels.items():
            words.append(f"--label={name}={value}")
        words += variable_flags
        is_in_network = any(flag.startswith("--network=") for flag in self.flags)
        if not self.has_network and not is_in_network:
            words.append("--network=none")
        words += self.flags
        arguments = [*(self.command or ())]
        if self.entrypoint is not None:
            # Docker takes one word. An empty one stands for none.
            first, *others = self.entrypoint or ("",)
            words.append(f"--entrypoint={first}")
            arguments = [*others, *arguments]
        return [*words, self.image, *arguments]


OWNER_LABEL: Final = "controlplane.owner"
RUN_LABEL: Final = "controlplane.run"
TRIAL_LABEL: Final = "controlplane.trial"
ENDED_SUFFIX: Final = "-ended"
"""Added to a container's name when its trial ends. Such a container is removed later."""


def owner() -> str:
    """Return the label value that marks containers of this user."""
    return f"uid-{os.getuid()}"


_LISTINGS: Final = {
    "container": ("ps", "--all", "--format", "{{.Names}}"),
    "network": ("network", "ls", "--format", "{{.Name}}"),
    "volume": ("volume", "ls", "--format", "{{.Name}}"),
}
"""What podman and docker list, and by which words."""
_REMOVALS: Final = {
    "container": ("rm", "--force", "--volumes"),
    "network": ("network", "rm"),
    "volume": ("volume", "rm"),
}


@dataclass(frozen=True, slots=True)
class ContainerRuntime:
    """The containers and images of this machine. It may be used from many threads at once."""

    program: RuntimeProgram
    images: ContainerImages
    settings: ContainerSettings
    run_flags: tuple[str, ...] = ()
    """The user's own flags for the start of containers."""

    @property
    def name(self) -> str:
        """`podman` or `docker`."""
        return self.program.name

    def start(self, spec: ContainerSpec) -> Container:
        """Start a container that waits for commands.

        Raises `ContainerError`, and `CommandInterrupted` if the run is being stopped.
        """
        try:
            with variable_flags(spec.variables) as flags:
                proxy_flags = run_flags_of_proxies(self.name, spec.variables)
                words = spec.run_words((*proxy_flags, *self.run_flags), flags)
                self.program.run_or_raise(f"start a container of {spec.image}", *words)
        except BaseException:
            # The container may exist although it did not start.
            self.remove(spec.name)
            raise
        return Container(self.program, spec.name)

    def find(self, name: str) -> Container | None:
        """Return the container with this name, restarted if it was stopped; None if there is none.

        Raises `ContainerError`.
        """
        container = Container(self.program, name)
        is_running = container.is_running()
        if is_running is None:
            return None
        if not is_running:
            purpose = f"start the container {name} again"
            self.program.run_or_raise(purpose, "start", name)
        return container

    def names(self, labels: Mapping[str, str], kind: str = "container") -> list[str]:
        """Return the names of all containers, networks or volumes with these labels.

        Raises `ContainerError`.
        """
        arguments = [*_LISTINGS[kind]]
        for name, value in labels.items():
            arguments += ["--filter", f"label={name}={value}"]
        return self.program.listed(f"list {kind}s", *arguments)

    # These clean up, also while the run is being stopped.

    def remove_labelled(self, labels: Mapping[str, str], *starts: str) -> int:
        """Remove all containers, networks and volumes with these labels. Return how many.

        Their names begin with one of `starts`, if there are any: `controlplane-1a2b.` for what belongs
        to the container of a trial. Raises `ContainerError`.
        """
        count = 0
        for kind in _LISTINGS:
            # `controlplane-1.store` before `controlplane-1-ended`, whose name says that all of it is
            # to go; and both before their network, which goes only when nothing is in it.
            for name in sorted(self.names(labels, kind), reverse=True):
                if name.startswith(starts or ("",)):
                    self.remove(name, kind)
                    count += 1
        return count

    def mark_ended(self, name: str) -> str:
        """Rename a container whose trial has ended, and return its new name.

        If this process is killed before it is removed, the next start of a run removes it by that.
        """
        ended = name + ENDED_SUFFIX
        renamed = self.program.ask("rename", name, ended, while_waiting=go_on)
        return ended if renamed.exit_code == 0 else name

    def remove(self, name: str, kind: str = "container") -> None:
        """Remove a container, after it was stopped, a network or a volume. It need not exist."""
        self.program.ask(*_REMOVALS[kind], name, while_waiting=go_on)

    def stop(self, name: str) -> None:
        """Stop a container's processes and keep its files."""
        self.program.run("stop", "--time", "2", name, while_waiting=go_on)


def find_runtime(
    settings: ContainerSettings,
    variables: Mapping[str, str],
    stop: threading.Event | None = None,
    notify: Callable[[str], None] = lambda text: None,
) -> ContainerRuntime:
    """Return the runtime that the user chose, or the first one on PATH without a choice.

    The variables `CONTAINER_RUN_FLAGS` and `CONTAINER_BUILD_FLAGS` add flags for
    machines that need them. `stop` is set when the run is being stopped. `notify` tells
    the user of pulls. Raises `ContainerError` if no runtime is found.
    """
    names = (settings.runtime,) if settings.runtime else RUNTIMES
    for name in names:
        path = shutil.which(name, path=variables.get("PATH"))
        if path is not None:
            program = RuntimeProgram(path, stop or threading.Event())
            build_flags = variables.get("CONTAINER_BUILD_FLAGS", "").split()
            run_flags = variables.get("CONTAINER_RUN_FLAGS", "").split()
            images = ContainerImages(program, settings, tuple(build_flags), notify)
            return ContainerRuntime(program, images, settings, tuple(run_flags))
    msg = f"there is no {' and no '.join(names)} on PATH: install podman or docker"
    raise ContainerError(msg)


# What killed processes have left on this machine.

SAMPLE_PREFIX: Final = "controlplane-inspect-"
"""Begins the name of a container that no resumed run takes over: `controlplane-inspect-812-1f05`.

The number is the process that has started it."""


def remove_leftovers(runtime: ContainerRuntime) -> list[str]:
    """Remove what no resumed run needs, and return the names of the trials that stay.

    These go, with their services, networks and volumes: trials that have ended, and samples of
    processes that are gone. So do files with variables. Raises `ContainerError`.
    """
    remove_abandoned_files()
    runtime.images.remove_abandoned_builds()
    labels = {OWNER_LABEL: owner()}
    names = [name for kind in _LISTINGS for name in runtime.names(labels, kind)]
    trials = dict.fromkeys(name.partition(".")[0] for name in names)
    staying = []
    for name in trials:
        trial_name = name.removesuffix(ENDED_SUFFIX)
        is_sample = name.startswith(SAMPLE_PREFIX)
        number = name.removeprefix(SAMPLE_PREFIX).partition("-")[0]
        has_ended = trial_name != name or (is_sample and is_gone(number))
        if has_ended:
            runtime.remove_labelled(labels, f"{trial_name}.", name)
        elif name + ENDED_SUFFIX not in trials:
            staying.append(name)
    return staying


class RunBeginning:
    """What is done once for a run, when its first trial begins.

    A benchmark is also opened only to list its tasks. Then nothing of this is done, and there is no
    journal for notices.
    """

    def __init__(self, notices: Iterator[str], clean: Callable[[], None]) -> None:
        """`notices` are told once. `clean` finds and removes containers left earlier."""
        self._notices = notices
        self._clean = clean
        self._has_begun = False
        self._lock = threading.Lock()

    def begin_once(self, context: BenchmarkContext) -> None:
        """Begin the run if this is its first trial. Other trials wait for it.

        Raises what `clean` raises. The next trial then tries again: without a list of containers,
        a resumed trial's would be replaced by a new one.
        """
        with self._lock:
            if self._has_begun:
                return
            for notice in self._notices:
                context.notify(notice)
            self._clean()
            self._has_begun = True


# Finds out for `doctor` whether containers can start here, by starting one.
#
# Podman may be installed and list images, although the machine lets it start nothing: a runtime is
# missing, or it is itself in a container. Only a start shows that. It needs an image that is on
# this machine, since `doctor` downloads nothing.

_MAX_STARTS: Final = 3
"""The most images that are tried, if none of the tasks is there."""


def container_finding(
    runtime: ContainerRuntime, images: Iterable[str]
) -> MachineFinding:
    """Return whether a container starts with the user's settings. `images` are those of the tasks.

    If none of them is on this machine, another image takes its place. Without any image, it is
    unknown. What killed processes have left is removed, but for trials that may be resumed.
    """
    fault = ""
    try:
        open_count = len(remove_leftovers(runtime))
        own = [
            image for image in dict.fromkeys(images) if runtime.images.has_image(image)
        ]
        # One of another image may lack a shell, without which none starts here.
        for image in own[:1] or runtime.images.names()[:_MAX_STARTS]:
            fault = _start_fault(runtime, image)
            if not fault:
                text = f"{runtime.name} starts one of {image}"
                if open_count:
                    text += (
                        f"; {count_text(open_count, 'trial')} that did not end: `controlplane resume` "
                        "goes on, `controlplane benchmarks clean --open-trials` removes their containers"
                    )
                return MachineFinding(True, text)
    except ContainerError as error:
        return MachineFinding(False, _line(str(error)), f"repair {runtime.name}")
    if fault:
        remedy = f"see whether `{runtime.name} run IMAGE true` works; docs/harbor.md has the flags"
        return MachineFinding(False, fault, remedy)
    text = (
        f"whether {runtime.name} can start one is unknown: no image is on this machine"
    )
    return MachineFinding(None, text, "pull an image, and ask again")


def _start_fault(runtime: ContainerRuntime, image: str) -> str:
    """Start a container of an image and remove it. Return why that fails; empty if it does not."""
    spec = ContainerSpec(
        image=image,
        name=f"controlplane-doctor-{os.getpid()}-{secrets.token_hex(4)}",
        labels={OWNER_LABEL: owner()},
        flags=tuple(runtime.settings.limit_flags(task_memory="", task_cpus=0.0)),
    )
    try:
        result = runtime.start(spec).script("exit 0")
    except ContainerError as error:
        return _line(str(error))
    finally:
        runtime.remove(spec.name)
    if result.exit_code != 0:
        return f"a command in a container of {image} ends with {result.exit_code}"
    return ""


def _line(text: str) -> str:
    """Return a message of several lines as one."""
    return ": ".join(line.strip() for line in text.splitlines() if line.strip())


# How many containers this machine runs well at the same time.

_USUAL_MEMORY_MB: Final = 1024.0
"""The memory of a container whose task does not say."""
_MEMORY_LINE: Final = re2.compile(r"(?m)^MemAvailable:\s+([0-9]+) kB$")


def usual_concurrency(memory_mb: float, memory_info: str | None = None) -> int:
    """Return how many trials at a time leave each a core, and memory of this size.

    `memory_info` is the text of /proc/meminfo. A verifier that shares its core with three others may
    exceed a time limit that it would keep alone.
    """
    if memory_info is None:
        try:
            memory_info = Path("/proc/meminfo").read_text(encoding="utf-8")
        except OSError:
            memory_info = ""
    count = os.cpu_count() or 1
    if hasattr(os, "sched_getaffinity"):
        count = len(os.sched_getaffinity(0))
    match = _MEMORY_LINE.search(memory_info)
    if match is not None:
        available_mb = int(match[1]) / 1024
        count = min(count, int(available_mb / (memory_mb or _USUAL_MEMORY_MB)))
    return max(count, 1)


# Finds out which limits of containers this machine cannot enforce.
#
# A task may ask for 2 GB of memory. If podman or docker cannot limit memory here, its
# container may use all of the machine's, and the user is told so.

_LIMIT_NAMES: Final = ("memory", "cores", "processes")
_PODMAN_INFO: Final = "{{.Host.Security.Rootless}} {{.Host.CgroupsVersion}}"
_DOCKER_INFO: Final = "{{.MemoryLimit}} {{.CPUCfsQuota}} {{.PidsLimit}}"
"""Whether docker can enforce each limit, in the order of `_LIMIT_NAMES`."""


def unenforced_limits(program: RuntimeProgram) -> list[str]:
    """Return the limits that podman or docker cannot enforce here, such as `memory`.

    If the program says nothing, all are taken to be enforced.
    """
    is_podman = program.name == "podman"
    result = program.run(
        "info", "--format", _PODMAN_INFO if is_podman else _DOCKER_INFO
    )
    words = result.stdout.decode("utf-8", "replace").split()
    if not is_podman:
        limits = zip(_LIMIT_NAMES, words, strict=False)
        return [name for name, is_enforced in limits if is_enforced == "false"]
    # The kernel limits processes by control groups. Those of version 1 are for root only, so
    # podman without root (rootless) cannot limit anything with them.
    return list(_LIMIT_NAMES) if words == ["true", "v1"] else []
