"""Starts, finds and removes the containers of this machine, with podman or docker.

Containers have labels with their owner, their run and their trial. By these, a resumed run
finds the containers that an earlier process has started.
"""

from __future__ import annotations

import ipaddress
import os
import secrets
import shutil
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

import re2

from controlplane.benchmark import BenchmarkContext, MachineFinding
from controlplane.benchmarks.containers.compose_file import (
    ComposeProject,
    ComposeService,
)
from controlplane.benchmarks.containers.container import (
    ROOT,
    CommandPlace,
    Container,
    RuntimeProgram,
    go_on,
    is_gone,
    last_lines,
)
from controlplane.benchmarks.containers.container_images import (
    ContainerImages,
    ImageDefaults,
)
from controlplane.benchmarks.containers.container_settings import (
    RUNTIMES,
    ContainerError,
    ContainerSettings,
    Healthcheck,
    check_image,
    remove_abandoned_files,
    run_flags_of_proxies,
    variable_flags,
)
from controlplane.benchmarks.containers.set_files import SetFiles
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
        # Podman removes a container after a signal to stop, for which `sleep` and others do not go.
        words.append("--stop-timeout=0")
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


# Starts the containers of a trial: one for the agent, and those of further services.
#
# Services reach each other by networks of the trial's own. Such a network leads nowhere else: this
# machine has no address in it, so that not even its own servers can be reached from there.
#
# Waits until a container is ready.
#
# A task may start a server in its container. Its health check is a command, such as `curl
# localhost:8000`, which succeeds as soon as the server answers.

_LONGEST_START_S: Final = 3_600.0
"""Seconds until a container must be ready, whatever its task says. No known task needs more."""
_SHOWN_CHARS: Final = 60
"""The most characters of a check's command that a message has."""
_CHECK_OUTPUT_BYTES: Final = 20_000
"""The most bytes of a check's output that are kept. Its last lines tell why it failed."""


def wait_until_healthy(container: Container, check: Healthcheck) -> None:
    """Wait until a container's health check, a shell command, succeeds.

    Raises `ContainerError` after `retries` failures, or after `_LONGEST_START_S`. Failures
    during the start period do not count, because services may still be starting. Raises
    `CommandInterrupted` if the run is being stopped.
    """
    began = time.monotonic()
    failures = 0
    while True:
        remaining_s = began + _LONGEST_START_S - time.monotonic()
        result = container.run(
            ["/bin/sh", "-c", check.command],
            ROOT,
            timeout_s=min(check.timeout_sec, max(remaining_s, 1.0)),
            output_bytes=_CHECK_OUTPUT_BYTES,
        )
        if result.exit_code == 0:
            return
        elapsed_s = time.monotonic() - began
        is_starting = elapsed_s < check.start_period_sec
        if not is_starting:
            failures += 1
        if failures >= check.retries or elapsed_s >= _LONGEST_START_S:
            fault = (
                f"the container is not healthy: {check.command[:_SHOWN_CHARS]!a} fails"
            )
            output = last_lines(result.stdout + result.stderr)
            raise ContainerError("\n".join([fault, *output]))
        pause_s = check.start_interval_sec if is_starting else check.interval_sec
        container.program.pause(min(pause_s, _LONGEST_START_S - elapsed_s))


_MAKE_READY: Final = f"""
waits=$1; workdir=$2
shift 2  # The words that remain are folders in which every user may write.
mkdir -p "$workdir" /tmp
chmod 1777 /tmp  # Where the commands of every user keep their outputs.
for folder in "$@"; do mkdir -p "$folder" && chmod 777 "$folder"; done
while [ "$waits" -gt 0 ] && [ ! -e {STARTED_FILE} ]; do sleep 1; waits=$((waits - 1)); done
rm -f {STARTED_FILE}
exit 0
"""
"""Makes folders, and waits until the entry point of the image has started what the container waits with."""
_ENTRYPOINT_WAITS: Final = 30
"""Seconds that an entry point may take before the agent begins all the same."""
_PLAIN_PATH: Final = re2.compile(r"/[\w./-]+")
_FIRST_HOST: Final = 10
"""The number of the first service's address in a network: 10.89.0.10."""


class TrialServices:
    """The containers of one trial: that of the agent, and those of further services."""

    def __init__(
        self,
        runtime: ContainerRuntime,
        project: ComposeProject,
        files: SetFiles,
        name: str,
        build_timeout_s: float,
    ) -> None:
        """Nothing is started yet. The agent's container has this name. `files` is the task's set."""
        self.runtime = runtime
        self.project = project
        self.name = name
        self.is_fresh = True
        """False if an earlier process has started them."""
        self.containers: dict[str, Container] = {}
        """Those that run, by the names of their services. Commands begin as the service says, or else
        its image."""
        self._files = files
        self._build_timeout_s = build_timeout_s
        self._services = project.in_order()
        members: dict[str, list[ComposeService]] = {}
        for service in self._services:
            for network in service.networks:
                members.setdefault(f"{name}.{network}", []).append(service)
        # A network of one service leads nowhere, and is not made.
        self._members = {name: found for name, found in members.items() if found[1:]}
        """The services in each network, by the network's name on this machine."""
        self._subnets: dict[str, str] = {}
        """The addresses of each network; empty where docker resolves the names."""

    @property
    def main(self) -> Container:
        """The container in which the agent works."""
        return self.containers[self.project.main_name]

    def start(self, labels: Mapping[str, str], folders: Sequence[str] = ()) -> None:
        """Start all containers, and wait until they are ready.

        All have these labels. `folders` are made in the agent's. Raises `ContainerError`, after
        what was started has been removed, and `CommandInterrupted` if the run is being stopped.
        """
        images = {service.name: self._image_of(service) for service in self._services}
        label_flags = [f"--label={key}={value}" for key, value in labels.items()]
        try:
            self._make_places(label_flags)
            for service in self._services:
                self._wait_for_others(service)
                image = images[service.name]
                defaults = self.runtime.images.defaults(image)
                spec = self._spec(service, image, labels)
                if service.name == self.project.main_name:
                    workdir = service.workdir or defaults.workdir
                    container = self._start_main(spec, defaults, [workdir, *folders])
                else:
                    container = self._start_anew(spec, service.workdir)
                self._join_further(service, container)
                self._add(service, container, image)
            for service in self._services:
                if service.healthcheck is not None:
                    container = self.containers[service.name]
                    wait_until_healthy(container, service.healthcheck)
        except BaseException:
            self.remove()
            # Another process may have removed one of the images, such as `benchmarks clean`.
            self.runtime.images.forget(images.values())
            raise

    def find(self) -> bool:
        """Find the containers that an earlier process has started; return False if one is gone.

        Those that were stopped start again. Raises `ContainerError`.
        """
        self.is_fresh = False
        for service in self._services:
            container = self.runtime.find(self._container_name(service))
            if container is None:
                self.is_fresh = True
                return False
            self._add(service, container, self._image_of(service))
        return True

    def stop(self) -> None:
        """Stop the containers. They keep their files."""
        for service in self._services:
            self.runtime.stop(self._container_name(service))

    def remove(self, name: str = "") -> None:
        """Remove the containers, with the networks and volumes of the trial.

        `name` is that of the agent's container if it was renamed, so that it goes last: if this process
        is killed in between, its name says that all of it is to go.
        """
        main = self.project.main
        names = [
            self._container_name(service)
            for service in reversed(self._services)
            if service.name != main.name
        ]
        # Podman removes no container whose network another one shares.
        place = 0 if main.joined_service else len(names)
        names.insert(place, name or self.name)
        for container_name in names:
            self.runtime.remove(container_name)
        for network in self._members:
            self.runtime.remove(network, "network")
        for volume in self._volumes():
            self.runtime.remove(volume, "volume")

    def _image_of(self, service: ComposeService) -> str:
        images = self.runtime.images
        return images.image_of(service, self._files, self._build_timeout_s)

    def _add(self, service: ComposeService, container: Container, image: str) -> None:
        """Note a running container, the agent's as the first one."""
        defaults = self.runtime.images.defaults(image)
        user = service.user or defaults.user
        place = CommandPlace(user, service.workdir or defaults.workdir)
        placed = replace(container, place=place)
        if service.name == self.project.main_name:
            self.containers = {service.name: placed, **self.containers}
        else:
            self.containers[service.name] = placed

    def _container_name(self, service: ComposeService) -> str:
        """Return the name of a service's container: the agent's has no addition."""
        is_main = service.name == self.project.main_name
        return self.name if is_main else f"{self.name}.{service.name}"

    def _volumes(self) -> list[str]:
        """Return the names that the volumes of the trial have on this machine."""
        volumes = [
            volume for service in self._services for volume, _ in service.volumes
        ]
        return [f"{self.name}.{volume}" for volume in dict.fromkeys(volumes) if volume]

    def _make_places(self, label_flags: Sequence[str]) -> None:
        """Make the networks in which several services meet, and the volumes."""
        program = self.runtime.program
        is_podman = self.runtime.name == "podman"
        # With podman's own names, this machine would have an address in it.
        option = "--disable-dns"
        if not is_podman:
            option = "--opt=com.docker.network.bridge.inhibit_ipv4=true"
        purpose = "make a network of the trial"
        for network in self._members:
            self.runtime.remove(network, "network")  # that of a killed process
            words = ("network", "create", "--internal", option, *label_flags, network)
            program.run_or_raise(purpose, *words)
            self._subnets[network] = ""
            if is_podman:
                form = "--format={{range .Subnets}}{{.Subnet}} {{end}}"
                result = program.run_or_raise(
                    purpose, "network", "inspect", network, form
                )
                self._subnets[network] = result.stdout.decode().split()[0]
        for volume in self._volumes():
            words = ("volume", "create", *label_flags, volume)
            program.run_or_raise("make a volume of the trial", *words)

    def _network_flags(self, service: ComposeService) -> list[str]:
        """Return the arguments that put a service into its networks, and name the others to it."""
        if service.joined_service:
            joined = self.project.services[service.joined_service]
            return [f"--network=container:{self._container_name(joined)}"]
        networks: list[str] = []
        hosts: list[str] = []
        for network, members in self._members.items():
            if service not in members:
                continue
            subnet = self._subnets[network]
            if not subnet:
                # Older versions of docker take one network; `_join_further` adds the others.
                if not networks:
                    networks.append(f"--network={network}")
                    networks += [f"--network-alias={name}" for name in _names(service)]
                continue
            first = ipaddress.ip_network(subnet).network_address + _FIRST_HOST
            for number, member in enumerate(members):
                address = first + number
                if member.name == service.name:
                    networks.append(f"--network={network}:ip={address}")
                hosts += [f"--add-host={name}:{address}" for name in _names(member)]
        return [*networks, *hosts]

    def _join_further(self, service: ComposeService, container: Container) -> None:
        """Connect a new container to those networks for which its arguments had no room."""
        own = [name for name, members in self._members.items() if service in members]
        for network in own[1:]:
            if not self._subnets[network]:
                aliases = [f"--alias={name}" for name in _names(service)]
                container.program.run_or_raise(
                    "connect a network of the trial",
                    *("network", "connect", *aliases, network, container.name),
                )
        if service.has_network and own:
            container.connect_network(is_on=True)

    def _wait_for_others(self, service: ComposeService) -> None:
        """Wait until the services that one needs are as far as it says."""
        for other, dependency in service.after.items():
            container = self.containers[other]
            check = self.project.services[other].healthcheck
            if dependency.condition == "service_healthy" and check is not None:
                wait_until_healthy(container, check)
            if dependency.condition == "service_completed_successfully":
                result = container.program.run_or_raise(
                    f"wait for the service {other}",
                    *("wait", container.name),
                    timeout_s=_LONGEST_START_S,
                )
                code = result.stdout.decode("utf-8", "replace").strip()
                if code != "0":
                    msg = f"its service {other} ended with {code}"
                    raise ContainerError(msg)

    def _spec(
        self, service: ComposeService, image: str, labels: Mapping[str, str]
    ) -> ContainerSpec:
        """Return how the container of a service starts."""
        is_main = service.name == self.project.main_name
        settings = self.runtime.settings
        flags = [*service.flags, *self._network_flags(service)]
        if service.joined_service:  # It has the names of the other service, too.
            flags = [
                flag
                for flag in flags
                if not flag.startswith(("--hostname=", "--add-host="))
            ]
        flags += settings.limit_flags(service.memory, service.cpus)
        for volume, target in service.volumes:
            source = f"{self.name}.{volume}:" if volume else ""
            flags.append(f"--volume={source}{target}")
        if service.user:
            flags.append(f"--user={service.user}")
        if not is_main and service.workdir:
            flags.append(f"--workdir={service.workdir}")
        waits_itself = is_main and service.command is None
        return ContainerSpec(
            image=image,
            name=self._container_name(service),
            labels=labels,
            variables=settings.container_variables(
                service.variables, has_network=service.has_network
            ),
            has_network=service.has_network,
            entrypoint=service.entrypoint,
            command=IDLE_WORDS if waits_itself else service.command,
            flags=tuple(flags),
        )

    def _start_main(
        self, spec: ContainerSpec, defaults: ImageDefaults, folders: Sequence[str]
    ) -> Container:
        """Start the agent's container, and make these folders in it, the first one for its commands.

        If it ends at once by the entry point of its image, or the command of its task, it starts
        again without them, and the user is told.
        """
        waits_itself = spec.command == IDLE_WORDS
        has_entrypoint = defaults.has_entrypoint or spec.entrypoint
        waits = _ENTRYPOINT_WAITS if has_entrypoint and waits_itself else 0
        try:
            container = self._start_anew(spec)
            ready = container.script(_MAKE_READY, str(waits), *folders)
            if ready.exit_code == 0 or container.goes_on():
                return container
            msg = f"a container of {spec.image} ends at once"
            raise ContainerError(msg)
        except ContainerError:
            if not has_entrypoint and waits_itself:
                raise
        self.runtime.images.notify(
            f"the entry point of {spec.image}, or its command, ends at once: its container "
            "starts without them"
        )
        self.runtime.remove(spec.name)
        plain = replace(spec, entrypoint=IDLE_WORDS[:1], command=IDLE_WORDS[1:])
        container = self._start_anew(plain)
        container.script(_MAKE_READY, "0", *folders)
        return container

    def _start_anew(self, spec: ContainerSpec, workdir: str = "") -> Container:
        """Start a new container. Raises `ContainerError` if that fails twice.

        A start that fails removes the container with this name, which a process that was killed may
        have left. Podman does not make a working folder that the image lacks, as docker does: there
        it is an empty volume, which is removed with the container. The path of a volume must not
        have a colon: before it would stand a folder of this machine.
        """
        try:
            return self.runtime.start(spec)
        except ContainerError as error:
            is_missing = f'"{workdir}" does not exist' in str(error)
            if is_missing and _PLAIN_PATH.fullmatch(workdir) is not None:
                spec = replace(spec, flags=(*spec.flags, f"--volume={workdir}"))
            return self.runtime.start(spec)


def _names(service: ComposeService) -> list[str]:
    """Return the names of a service in its networks."""
    return [service.name, *service.aliases]
