"""Starts the containers of a trial: one for the agent, and those of further services.

Services reach each other by networks of the trial's own. Such a network leads nowhere else: this
machine has no address in it, so that not even its own servers can be reached from there.
"""

from __future__ import annotations

import ipaddress
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
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

    def remove(self) -> None:
        """Remove the containers, with the networks and volumes of the trial."""
        for service in reversed(self._services):
            self.runtime.remove(self._container_name(service))
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
