"""Starts the containers of a trial: one for the agent, and those of further services.

Services reach each other by networks of the trial's own. Such a network leads nowhere else: this
machine has no address in it, so that not even its own servers can be reached from there.
"""

from __future__ import annotations

import ipaddress
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import re2

from controlplane.benchmarks.containers.compose_file import (
    ComposeProject,
    ComposeService,
    Healthcheck,
)
from controlplane.benchmarks.containers.container import (
    ROOT,
    CommandPlace,
    Container,
)
from controlplane.benchmarks.containers.container_images import ImageDefaults
from controlplane.benchmarks.containers.container_runtime import (
    IDLE_WORDS,
    STARTED_FILE,
    ContainerRuntime,
    ContainerSpec,
)
from controlplane.benchmarks.containers.runtime_program import (
    ContainerError,
    last_lines,
)
from controlplane.benchmarks.containers.set_files import SetFiles

# Waits until a container is ready.
#
# A task may start a server in its container. Its health check is a command, such as `curl
# localhost:8000`, which succeeds as soon as the server answers.

LONGEST_START_S: Final = 3_600.0
"""Seconds until a container must be ready, whatever its task says. No known task needs more."""
_SHOWN_CHARS: Final = 60
"""The most characters of a check's command that a message has."""
_CHECK_OUTPUT_BYTES: Final = 20_000
"""The most bytes of a check's output that are kept. Its last lines tell why it failed."""


def wait_until_healthy(container: Container, check: Healthcheck) -> None:
    """Wait until a container's health check, a shell command, succeeds.

    Raises `ContainerError` after `retries` failures, or after `LONGEST_START_S`. Failures
    during the start period do not count, because services may still be starting. Raises
    `CommandInterrupted` if the run is being stopped.
    """
    began = time.monotonic()
    failures = 0
    while True:
        remaining_s = began + LONGEST_START_S - time.monotonic()
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
        if failures >= check.retries or elapsed_s >= LONGEST_START_S:
            fault = (
                f"the container is not healthy: {check.command[:_SHOWN_CHARS]!a} fails"
            )
            output = last_lines(result.stdout + result.stderr)
            raise ContainerError("\n".join([fault, *output]))
        pause_s = check.start_interval_sec if is_starting else check.interval_sec
        container.program.pause(min(pause_s, LONGEST_START_S - elapsed_s))


_MAKE_READY: Final = f"""
workdir=$1; waits=$2
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


@dataclass(frozen=True, slots=True)
class StartedService:
    """A running container, and how commands start in it."""

    container: Container
    user: str
    """Empty for root."""
    workdir: str

    @property
    def place(self) -> CommandPlace:
        """The user and folder of its commands."""
        return CommandPlace(self.user, self.workdir)


@dataclass(frozen=True, slots=True)
class StartedProject:
    """The running containers of one trial: the agent's, and those of further services."""

    project: ComposeProject
    services: Mapping[str, StartedService]
    """By name, the agent's first."""
    is_fresh: bool = True
    """False if an earlier process has started them."""

    @property
    def main(self) -> StartedService:
        """That of the agent."""
        return self.services[self.project.main_name]

    @property
    def container(self) -> Container:
        """The container in which the agent works."""
        return self.main.container


@dataclass(frozen=True, slots=True)
class _ServiceNetworks:
    """The networks of one trial, and the address of each service in them, as podman assigns it."""

    subnets: Mapping[str, str]
    """By the networks' names on this machine; a subnet is empty where docker resolves the names."""
    members: Mapping[str, Sequence[ComposeService]]
    """The services in each network."""

    def flags(self, service: ComposeService) -> list[str]:
        """Return the arguments that put a service into its networks, and name the others to it."""
        networks: list[str] = []
        hosts: list[str] = []
        for network, members in self.members.items():
            if service not in members:
                continue
            subnet = self.subnets[network]
            if not subnet:
                # Older versions of docker take one network; `join_further` adds the others.
                if not networks:
                    names = (service.name, *service.aliases)
                    networks.append(f"--network={network}")
                    networks += [f"--network-alias={name}" for name in names]
                continue
            first = ipaddress.ip_network(subnet).network_address + _FIRST_HOST
            for number, member in enumerate(members):
                address = first + number
                if member.name == service.name:
                    networks.append(f"--network={network}:ip={address}")
                for name in (member.name, *member.aliases):
                    hosts.append(f"--add-host={name}:{address}")
        return [*networks, *hosts]

    def join_further(self, service: ComposeService, container: Container) -> None:
        """Connect a container of docker to those networks for which `flags` had no room."""
        own = [name for name, members in self.members.items() if service in members]
        for network in own[1:]:
            if self.subnets[network]:
                continue
            aliases = [f"--alias={name}" for name in (service.name, *service.aliases)]
            container.program.run_or_raise(
                "connect a network of the trial",
                *("network", "connect", *aliases, network, container.name),
            )


class TrialServices:
    """Starts and removes the containers of trials. Many threads share it."""

    def __init__(self, runtime: ContainerRuntime) -> None:
        self.runtime = runtime

    def start(
        self,
        project: ComposeProject,
        files: SetFiles,
        name: str,
        labels: Mapping[str, str],
        *,
        build_timeout_s: float,
        folders: Sequence[str] = (),
    ) -> StartedProject:
        """Start all containers of a project, and wait until they are ready.

        The agent's container has this name, and all have these labels. `folders` are made in the
        agent's. Raises `ContainerError`, after what was started has been removed, and
        `CommandInterrupted` if the run is being stopped.
        """
        services = project.in_order()
        images = {
            service.name: self.runtime.images.image_of(service, files, build_timeout_s)
            for service in services
        }
        started: dict[str, StartedService] = {}
        try:
            networks = self._make_networks(services, name, labels)
            self._make_volumes(services, name, labels)
            for service in services:
                self._wait_for_others(service, project, started)
                image = images[service.name]
                defaults = self.runtime.images.defaults(image)
                is_main = service.name == project.main_name
                spec = self._spec(
                    project, service, image, name, labels, networks.flags(service)
                )
                if is_main:
                    workdir = service.workdir or defaults.workdir
                    container = self._start_main(spec, defaults, workdir, folders)
                else:
                    container = self._start_other(spec, service.workdir)
                networks.join_further(service, container)
                if service.has_network and networks.flags(service):
                    container.connect_network(is_on=True)
                started[service.name] = _started_service(service, container, defaults)
            for service in services:
                if service.healthcheck is not None:
                    wait_until_healthy(
                        started[service.name].container, service.healthcheck
                    )
        except BaseException:
            self.remove(project, name)
            # Another process may have removed one of the images, such as `benchmarks clean`.
            self.runtime.images.forget(images.values())
            raise
        return _started(project, started)

    def found(
        self,
        project: ComposeProject,
        files: SetFiles,
        name: str,
        build_timeout_s: float,
    ) -> StartedProject | None:
        """Return the containers of a project that an earlier process has started.

        Those that were stopped start again. None if one is gone. Raises `ContainerError`.
        """
        found = {}
        for service in project.in_order():
            container = self.runtime.find(_container_name(project, service, name))
            if container is None:
                return None
            image = self.runtime.images.image_of(service, files, build_timeout_s)
            defaults = self.runtime.images.defaults(image)
            found[service.name] = _started_service(service, container, defaults)
        return _started(project, found, is_fresh=False)

    def stop(self, project: ComposeProject, name: str) -> None:
        """Stop the containers of a trial. They keep their files."""
        for service in project.in_order():
            self.runtime.stop(_container_name(project, service, name))

    def remove(self, project: ComposeProject, name: str) -> None:
        """Remove the containers of a trial, with its networks and volumes."""
        services = project.in_order()
        for service in reversed(services):
            self.runtime.remove(_container_name(project, service, name))
        self.remove_places(project, name)

    def remove_places(self, project: ComposeProject, name: str) -> None:
        """Remove the networks and volumes of a trial whose containers are gone."""
        services = project.in_order()
        self.runtime.remove_places(
            list(_network_members(services, name)), list(_volumes(services, name))
        )

    def _make_networks(
        self, services: Sequence[ComposeService], name: str, labels: Mapping[str, str]
    ) -> _ServiceNetworks:
        """Make the networks of a trial in which several services meet."""
        members = _network_members(services, name)
        subnets = {}
        for network in members:
            words = ["network", "create", "--internal"]
            if self.runtime.name == "podman":
                # With its own names, this machine would have an address in it.
                words.append("--disable-dns")
            else:
                words.append("--opt=com.docker.network.bridge.inhibit_ipv4=true")
            words += [f"--label={key}={value}" for key, value in labels.items()]
            purpose = "make a network of the trial"
            self.runtime.program.run("network", "rm", network)  # of a killed process
            self.runtime.program.run_or_raise(purpose, *words, network)
            subnets[network] = ""
            if self.runtime.name == "podman":
                result = self.runtime.program.run_or_raise(
                    purpose,
                    *("network", "inspect", network),
                    "--format={{range .Subnets}}{{.Subnet}} {{end}}",
                )
                subnets[network] = result.stdout.decode().split()[0]
        return _ServiceNetworks(subnets, members)

    def _make_volumes(
        self, services: Sequence[ComposeService], name: str, labels: Mapping[str, str]
    ) -> None:
        for volume in _volumes(services, name):
            words = [f"--label={key}={value}" for key, value in labels.items()]
            self.runtime.program.run_or_raise(
                "make a volume of the trial", "volume", "create", *words, volume
            )

    def _wait_for_others(
        self,
        service: ComposeService,
        project: ComposeProject,
        started: Mapping[str, StartedService],
    ) -> None:
        """Wait until the services that one needs are as far as it says."""
        for other, dependency in service.after.items():
            condition = dependency.condition
            container = started[other].container
            check = project.services[other].healthcheck
            if condition == "service_healthy" and check is not None:
                wait_until_healthy(container, check)
            if condition == "service_completed_successfully":
                result = container.program.run_or_raise(
                    f"wait for the service {other}",
                    *("wait", container.name),
                    timeout_s=LONGEST_START_S,
                )
                if result.stdout.strip() != b"0":
                    code = result.stdout.decode("utf-8", "replace").strip()
                    msg = f"its service {other} ended with {code}"
                    raise ContainerError(msg)

    def _spec(
        self,
        project: ComposeProject,
        service: ComposeService,
        image: str,
        name: str,
        labels: Mapping[str, str],
        network_flags: Sequence[str],
    ) -> ContainerSpec:
        """Return how the container of a service starts."""
        is_main = service.name == project.main_name
        settings = self.runtime.settings
        flags = [*service.flags, *network_flags]
        if service.joined_service:
            joined = project.services[service.joined_service]
            flags = [f"--network=container:{_container_name(project, joined, name)}"]
            # It has the names of the other service, too.
            flags += [flag for flag in service.flags if not _names_something(flag)]
        flags += settings.limit_flags(service.memory, service.cpus)
        for volume, target in service.volumes:
            source = f"{name}.{volume}:" if volume else ""
            flags.append(f"--volume={source}{target}")
        if service.user:
            flags.append(f"--user={service.user}")
        if not is_main and service.workdir:
            flags.append(f"--workdir={service.workdir}")
        waits_itself = is_main and service.command is None
        return ContainerSpec(
            image=image,
            name=_container_name(project, service, name),
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
        self,
        spec: ContainerSpec,
        defaults: ImageDefaults,
        workdir: str,
        folders: Sequence[str],
    ) -> Container:
        """Start the agent's container, and make it ready.

        If it ends at once by the entry point of its image, or the command of its task, it starts
        again without them, and the user is told.
        """
        waits_itself = spec.command == IDLE_WORDS
        runs_other = bool(
            defaults.has_entrypoint or spec.entrypoint or not waits_itself
        )
        waits = _ENTRYPOINT_WAITS if runs_other and waits_itself else 0
        arguments = (workdir, str(waits), *folders)
        try:
            container = self._start_anew(spec)
            ready = container.script(_MAKE_READY, *arguments)
            has_ended = ready.exit_code != 0 and not container.is_running()
        except ContainerError:
            if not runs_other:
                raise
            has_ended = True
        if has_ended:
            if not runs_other:
                msg = f"a container of {spec.image} ends at once"
                raise ContainerError(msg)
            self.runtime.images.notify(
                f"the entry point of {spec.image}, or its command, ends at once: its container "
                "starts without them"
            )
            plain = replace(spec, entrypoint=IDLE_WORDS[:1], command=IDLE_WORDS[1:])
            self.runtime.remove(spec.name)
            container = self._start_anew(plain)
            container.script(_MAKE_READY, workdir, "0", *folders)
        return container

    def _start_other(self, spec: ContainerSpec, workdir: str) -> Container:
        """Start the container of another service. Raises `ContainerError`.

        Podman does not make a working folder that the image lacks, as docker does. There it is an
        empty volume, which is removed with the container. The path of a volume must not have a
        colon: before it would stand a folder of this machine.
        """
        try:
            return self.runtime.start(spec)
        except ContainerError as error:
            is_missing = f'"{workdir}" does not exist' in str(error)
            if not is_missing or _PLAIN_PATH.fullmatch(workdir) is None:
                raise
        with_folder = replace(spec, flags=(*spec.flags, f"--volume={workdir}"))
        return self.runtime.start(with_folder)

    def _start_anew(self, spec: ContainerSpec) -> Container:
        """Start a new container. Raises `ContainerError` if that fails twice."""
        try:
            return self.runtime.start(spec)
        except ContainerError:
            # A process that was killed may have started one with this name.
            self.runtime.remove(spec.name)
            return self.runtime.start(spec)


def _started_service(
    service: ComposeService, container: Container, defaults: ImageDefaults
) -> StartedService:
    """Return a running container, whose commands start as its service says, or else its image."""
    user = service.user or defaults.user
    return StartedService(container, user, service.workdir or defaults.workdir)


def _started(
    project: ComposeProject,
    services: Mapping[str, StartedService],
    *,
    is_fresh: bool = True,
) -> StartedProject:
    """Return the running containers of a project, the agent's first."""
    main_name = project.main_name
    ordered = {main_name: services[main_name], **services}
    return StartedProject(project, ordered, is_fresh)


def _container_name(project: ComposeProject, service: ComposeService, name: str) -> str:
    """Return the name of a service's container: the agent's has no addition."""
    return name if service.name == project.main_name else f"{name}.{service.name}"


def _network_members(
    services: Sequence[ComposeService], name: str
) -> dict[str, list[ComposeService]]:
    """Return the services in each network of a trial, by the network's name on this machine.

    A network of one service leads nowhere, and is not made.
    """
    members: dict[str, list[ComposeService]] = {}
    for service in services:
        for network in service.networks:
            members.setdefault(f"{name}.{network}", []).append(service)
    return {network: found for network, found in members.items() if len(found) > 1}


def _volumes(services: Sequence[ComposeService], name: str) -> list[str]:
    """Return the names that the volumes of a trial have on this machine."""
    names = [
        f"{name}.{volume}"
        for service in services
        for volume, _ in service.volumes
        if volume
    ]
    return list(dict.fromkeys(names))


def _names_something(flag: str) -> bool:
    """Return True for an argument that a container in another one's network may not have."""
    return flag.startswith(("--hostname=", "--add-host="))
