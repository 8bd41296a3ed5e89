"""Reads compose files: the containers of a task, and the networks between them.

    services:
      main: {image: "python:3.12", environment: {COLOUR: green}, cpus: 2}
      store: {image: "redis:7"}

What reaches this machine (its folders, sockets, devices, namespaces, privileges) is refused by
name, and so is every key that is not known: the task may not be able to do without it.
"""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, Final, NoReturn

import re2
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from controlplane.benchmarks.containers.set_files import SetFileError, SetFiles
from controlplane.benchmarks.containers.task_values import (
    Command,
    TaskValueError,
    check_command,
    check_cpus,
    check_image,
    check_memory,
    check_user,
    check_variables,
    check_workdir,
    fault_of,
)
from controlplane.sandbox.interface import bounds
from controlplane.sandbox.interface.foreign_documents import parse_yaml


class ComposeError(ValueError):
    """A compose file needs an unsupported feature. The message names it."""


# What a compose file says, as it is carried out here.


def _at_most_longest(seconds: float) -> float:
    return min(seconds, bounds.LONGEST_S)


CAPPED: Final = AfterValidator(_at_most_longest)
"""Seconds that the system's timers can wait. A task that names more waits as long as that."""


class Healthcheck(BaseModel):
    """A shell command that succeeds when a container is ready."""

    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False)

    command: Command
    interval_sec: Annotated[float, Field(ge=0), CAPPED] = 5.0
    timeout_sec: Annotated[float, Field(gt=0), CAPPED] = 30.0
    start_period_sec: Annotated[float, Field(ge=0), CAPPED] = 0.0
    start_interval_sec: Annotated[float, Field(ge=0), CAPPED] = 5.0
    retries: Annotated[int, Field(ge=1)] = 3


@dataclass(frozen=True, slots=True)
class ComposeService:
    """A container: its image, variables, limits and first process."""

    name: str = "main"
    image: str = ""
    """Empty if the image is built, or if the task names it elsewhere."""
    build_folder: Path | None = None
    """The folder from which the image is built; None if it is not built."""
    dockerfile: str = "Dockerfile"
    """Its path in that folder."""
    build_arguments: tuple[tuple[str, str], ...] = ()
    build_target: str = ""
    """The stage to build; empty for the last one."""
    variables: tuple[tuple[str, str], ...] = ()
    workdir: str = ""
    user: str = ""
    memory: str = ""
    cpus: float = 0.0
    entrypoint: tuple[str, ...] | None = None
    """None for the image's."""
    command: tuple[str, ...] | None = None
    healthcheck: Healthcheck | None = None
    flags: tuple[str, ...] = ()
    """Further arguments of `podman run`, each made of checked values: `--shm-size=1g`."""
    volumes: tuple[tuple[str, str], ...] = ()
    """Named volumes of the trial with their paths: `("data", "/var/lib/data")`."""
    after: tuple[tuple[str, str], ...] = ()
    """Services that start before it, and what is waited for: `("store", "service_healthy")`."""
    networks: tuple[str, ...] = ()
    """The networks by which it reaches other services."""
    aliases: tuple[str, ...] = ()
    """Its further names there."""
    joined_service: str = ""
    """The service whose network it shares (`network_mode: service:NAME`); mostly empty."""
    has_network: bool = True
    """False if it reaches nothing else: `network_mode: none`, or internal networks alone."""
    is_default: bool = False
    """True if the file marks it as that of the agent: `x-default: true`."""
    notes: tuple[str, ...] = ()
    """What the user is told: `its ports are not published`."""


@dataclass(frozen=True, slots=True)
class ComposeProject:
    """The services of a compose file, by name. One of them is the agent's."""

    services: Mapping[str, ComposeService] = field(default_factory=dict)
    main_name: str = "main"

    @property
    def main(self) -> ComposeService:
        """The service in which the agent works. A file with others alone leaves it open."""
        return self.services.get(self.main_name, ComposeService(self.main_name))

    @property
    def sidecars(self) -> list[ComposeService]:
        """The other services."""
        return [
            service for name, service in self.services.items() if name != self.main_name
        ]

    @property
    def notes(self) -> Iterator[str]:
        """What the user is told of its services: `main: its ports are not published`."""
        for service in self.services.values():
            for note in service.notes:
                yield f"{service.name}: {note}"

    def with_main(self, main: ComposeService) -> ComposeProject:
        """Return the same project with another service for the agent."""
        others = {
            name: service
            for name, service in self.services.items()
            if name != self.main_name
        }
        return ComposeProject({main.name: main, **others}, main.name)

    def with_network(self, *, is_allowed: bool) -> ComposeProject:
        """Return the same project, in which no service has a network unless that is allowed."""
        services = {}
        for service in self.in_order():
            has_network = service.has_network and is_allowed
            services[service.name] = replace(service, has_network=has_network)
        return replace(self, services=services)

    def in_order(self) -> list[ComposeService]:
        """Return all services, each after those that it needs. Raises `ComposeError` for a circle."""
        services = {**self.services, self.main_name: self.main}
        ordered: dict[str, ComposeService] = {}
        while len(ordered) < len(services):
            ready = [
                service
                for name, service in services.items()
                if name not in ordered
                and all(other in ordered for other in _needed_by(service))
            ]
            if not ready:
                waiting = ", ".join(name for name in services if name not in ordered)
                msg = f"its services wait for each other: {waiting}"
                raise ComposeError(msg)
            ordered |= {service.name: service for service in ready}
        return list(ordered.values())


def _needed_by(service: ComposeService) -> list[str]:
    """Return the services that have to start before one."""
    names = [name for name, _ in service.after]
    if service.joined_service:
        names.append(service.joined_service)
    return names


# The keys of a service.

_IGNORED_KEYS: Final = frozenset(
    {
        "annotations",
        "attach",
        "cpu_shares",
        "develop",
        "expose",
        "init",
        "labels",
        "links",
        "logging",
        "mem_reservation",
        "mem_swappiness",
        "memswap_limit",
        "oom_score_adj",
        "pids_limit",  # That of the user holds.
        "platform",
        "pull_policy",  # The user decides this.
        "stdin_open",
        "stop_grace_period",
        "stop_signal",
        "tty",
    }
)
"""They make no difference here."""
_READ_KEYS: Final = frozenset(
    {
        "build",
        "cap_add",
        "cap_drop",
        "command",
        "container_name",
        "cpus",
        "cpuset",
        "depends_on",
        "deploy",
        "entrypoint",
        "env_file",
        "environment",
        "extra_hosts",
        "healthcheck",
        "hostname",
        "image",
        "mem_limit",
        "network_mode",
        "networks",
        "ports",
        "read_only",
        "restart",
        "runtime",
        "scale",
        "security_opt",
        "shm_size",
        "tmpfs",
        "ulimits",
        "user",
        "volumes",
        "working_dir",
    }
)
_NAME: Final = re2.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,60}")
"""The name of a service, network, volume or host."""
_VARIABLE: Final = re2.compile(
    r"\$(?:(\$)|\{([A-Za-z_][A-Za-z0-9_]*)(?::?-([^}]*))?\}|([A-Za-z_][A-Za-z0-9_]*))"
)
"""`$$`, `${NAME}`, `${NAME:-default}` and `$NAME`. The groups: `$`, name, default, name."""
_DURATION: Final = re2.compile(r"(?:[0-9]+(?:\.[0-9]+)?(?:us|ms|s|m|h))+")
_DURATION_PART: Final = re2.compile(r"([0-9]+(?:\.[0-9]+)?)(us|ms|s|m|h)")
_UNIT_SECONDS: Final = {"us": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}
_ADDRESS: Final = re2.compile(r"[0-9]{1,3}(?:\.[0-9]{1,3}){3}|[0-9A-Fa-f:]+")
_CAPABILITY: Final = re2.compile(r"(?:CAP_)?[A-Z_]{1,40}")
_HARMLESS_CAPABILITIES: Final = frozenset(
    {
        "AUDIT_WRITE",
        "CHOWN",
        "DAC_OVERRIDE",
        "FOWNER",
        "FSETID",
        "KILL",
        "MKNOD",
        "NET_BIND_SERVICE",
        "NET_RAW",
        "SETFCAP",
        "SETGID",
        "SETPCAP",
        "SETUID",
        "SYS_CHROOT",
        "SYS_PTRACE",
    }
)
"""Those that containers mostly have anyhow, or do without: none is added for a task."""
_TOP_KEYS: Final = frozenset(
    {"include", "name", "networks", "services", "version", "volumes"}
)
"""The keys that a file may have beside keys for other programs (`x-...`)."""
_MAX_FILE_BYTES: Final = 100_000
_MAX_FILES: Final = 20
"""The most files that include each other."""
_MAX_SERVICES: Final = 20
"""The most services of one trial."""
_MAX_VALUES: Final = 200
"""The most entries of one list or table of a service."""


COMPOSE_FILES: Final = (
    "compose.yaml",
    "compose.yml",
    "docker-compose.yaml",
    "docker-compose.yml",
)
"""The names of compose files. Programs take the first one that is there."""


def compose_file_in(
    folder: Path, files: SetFiles, names: Sequence[str] = COMPOSE_FILES
) -> Path | None:
    """Return the first of these compose files that a folder of a set has; None if it has none.

    Raises `SetFileError` if it is a link out of the set.
    """
    for name in names:
        path = folder / name
        if files.is_file(path):
            return path
    return None


def read_compose_file(
    path: Path,
    files: SetFiles,
    known: Mapping[str, str] | None = None,
    *,
    build_top: Path | None = None,
) -> dict[str, ComposeService]:
    """Return the services of a compose file of a set, by name.

    `known` has the variables of the file whose values are known: `{"CPUS": "2"}`. Images are built
    from folders below `build_top`; unless it is given, below the set's own folder. Raises
    `ComposeError` for what is not supported.
    """
    reader = _ComposeReader(files, dict(known or {}), build_top or files.root)
    services = {}
    for name, service in reader.services_of(path).items():
        services[name] = _with_outside(service, reader.internal, path)
    if not services:
        msg = f"{path.name} has no services"
        raise ComposeError(msg)
    if len(services) > _MAX_SERVICES:
        msg = f"{path.name} has {len(services)} services, more than {_MAX_SERVICES}"
        raise ComposeError(msg)
    for service in services.values():
        for name in _needed_by(service):
            if name not in services:
                msg = f"{path.name}: its service {service.name} needs {name}, which is missing"
                raise ComposeError(msg)
    first = next(iter(services))
    ComposeProject(services, first).in_order()  # for a circle
    for name in COMPOSE_FILES:
        beside = path.parent / name
        is_read = beside.resolve() in reader.read_paths
        if path.name in COMPOSE_FILES and beside.is_file() and not is_read:
            note = f"{path.name} is read, and {name} beside it is not"
            notes = (*services[first].notes, note)
            services[first] = replace(services[first], notes=notes)
    return services


@dataclass(slots=True)
class _ComposeReader:
    """Reads a compose file with those that it includes."""

    files: SetFiles
    known: Mapping[str, str]
    build_top: Path
    internal: dict[str, bool] = field(default_factory=dict)
    """The networks of all files, and whether each reaches its own services alone."""
    read_paths: set[Path] = field(default_factory=set)

    def services_of(self, path: Path) -> dict[str, ComposeService]:
        """Return the services of a file, with those of the files that it includes."""
        place = path.resolve()
        if place in self.read_paths or len(self.read_paths) >= _MAX_FILES:
            msg = f"{path.name} is included twice, or by more than {_MAX_FILES} files"
            raise ComposeError(msg)
        self.read_paths.add(place)
        data = self._document(path)
        services: dict[str, ComposeService] = {}
        for included in _list(data.get("include"), f"{path.name}: its include"):
            for name in _included_paths(included, path):
                services |= self.services_of(path.parent / name)

        self.internal |= _internal_networks(data.get("networks"), path)
        volumes = _own_volumes(data.get("volumes"), path)
        own_services = _table(data.get("services"), f"{path.name}: its services")
        for name, service in own_services.items():
            if _NAME.fullmatch(str(name)) is None:
                msg = f"{path.name}: {name!r} is no name of a service"
                raise ComposeError(msg)
            if not isinstance(service, dict):
                msg = f"{path.name}: its service {name} is not a table"
                raise ComposeError(msg)
            if service.get("profiles"):  # Such a service is started by hand alone.
                continue
            if name in services:
                msg = f"{path.name}: its service {name} is in an included file, too"
                raise ComposeError(msg)
            reader = _ServiceReader(self, path, str(name), volumes)
            try:
                services[str(name)] = reader.read(service)
            except (TaskValueError, SetFileError, TypeError, ValidationError) as error:
                # `TypeError` for a list where a name belongs.
                fault = str(error)
                if isinstance(error, ValidationError):
                    fault = fault_of(error)
                msg = f"{path.name}: its service {name}: {fault}"
                raise ComposeError(msg) from error
        return services

    def _document(self, path: Path) -> Mapping[str, Any]:
        """Return the table that a file is. Raises `ComposeError`."""
        try:
            content = self.files.read(path, _MAX_FILE_BYTES)
            data = parse_yaml((content or b"").decode("utf-8"), refuses_nul=True)
        except SetFileError as error:
            raise ComposeError(str(error)) from error
        except ValueError as error:
            msg = f"{path.name} cannot be read: {error}"
            raise ComposeError(msg) from error
        if content is None:
            msg = f"{path.name} is missing"
            raise ComposeError(msg)
        if not isinstance(data, dict) or not ("services" in data or "include" in data):
            msg = f"{path.name} has no services"
            raise ComposeError(msg)
        for key in data:
            if key not in _TOP_KEYS and not str(key).startswith("x-"):
                msg = f"{path.name} has {key}"
                raise ComposeError(msg)
        return data

    def filled_in(self, text: str, *, keeps_unknown: bool = False) -> str:
        """Return a text with its variables filled in, from what is known or their defaults.

        Raises `ComposeError` for another variable: this machine's could say anything. With
        `keeps_unknown`, it stays for later, as for what only a container gets.
        """

        def value_of(match: Any) -> str:
            if match[1]:
                return "$"
            name = str(match[2] or match[4])
            if name in self.known:
                return str(self.known[name])
            if keeps_unknown:
                default = "" if match[3] is None else f":-{match[3]}"
                return f"${{{name}{default}}}"
            if match[3] is None:
                msg = f"it has the variable {name} of this machine"
                raise TaskValueError(msg)
            return str(match[3])

        filled = _VARIABLE.sub(value_of, text)
        return str(filled)


@dataclass(frozen=True, slots=True)
class _ServiceReader:
    """Reads one service of a compose file. Its methods raise `ComposeError` and `TaskValueError`."""

    files: _ComposeReader
    path: Path
    name: str
    volumes: frozenset[str]
    """The volumes that the file declares."""

    def read(self, service: Mapping[Any, Any]) -> ComposeService:
        """Return the service that a table describes: `{"image": "python:3.12", "cpus": 2}`."""
        for key in service:
            is_extension = str(key).startswith("x-")
            if key not in _IGNORED_KEYS and key not in _READ_KEYS and not is_extension:
                self._refuse(f"has {key}")
        notes: list[str] = []
        read = ComposeService(
            name=self.name,
            image="" if "build" in service else self._text(service.get("image")),
            variables=tuple(self._variables(service)),
            workdir=self._text(service.get("working_dir")),
            user=self._text(service.get("user")),
            memory=self._text(service.get("mem_limit")),
            cpus=self._cpus(service.get("cpus")),
            entrypoint=self._words(service.get("entrypoint"), "entrypoint"),
            command=self._words(service.get("command"), "command"),
            healthcheck=self._healthcheck(service.get("healthcheck")),
            after=tuple(self._after(service.get("depends_on"))),
            is_default=service.get("x-default") is True,
        )
        read = self._with_build(read, service.get("build"))
        read = self._with_deploy(read, service.get("deploy"), notes)
        read = self._with_networks(read, service)
        read = self._with_volumes(read, service)
        flags = [*read.flags, *self._flags(service, notes)]
        if service.get("cpuset"):
            cores = self._core_count(self._text(service["cpuset"]))
            read = replace(read, cpus=read.cpus or cores)
            notes.append(f"it gets {cores:g} cores, and not certain ones")
        aliases = [*read.aliases]
        for key in ("container_name", "hostname"):
            if service.get(key):
                aliases.append(self._name(service[key], key))
        if service.get("hostname"):
            flags.append(f"--hostname={aliases[-1]}")
        read = replace(
            read, flags=tuple(flags), aliases=tuple(aliases), notes=tuple(notes)
        )
        self._check_values(read)
        return read

    def _check_values(self, service: ComposeService) -> None:
        """Raise `TaskValueError` for a value that podman or docker must not be given."""
        if service.image:
            check_image(service.image)
        check_cpus(service.cpus)
        check_variables(dict(service.variables))
        check_variables(dict(service.build_arguments))
        check_workdir(service.workdir)
        check_user(service.user)
        check_memory(service.memory)
        for words in (service.entrypoint or (), service.command or ()):
            for word in words:
                check_command(word)

    def _refuse(self, text: str) -> NoReturn:
        msg = f"{self.path.name}: its service {self.name} {text}"
        raise ComposeError(msg)

    def _text(self, value: object) -> str:
        """Return a scalar as a text with its variables filled in; empty for None."""
        if value is None:
            return ""
        if isinstance(value, (dict, list)):
            self._refuse(f"has {str(value)[:60]!r} where a text belongs")
        return self.files.filled_in(str(value))

    def _name(self, value: object, key: str) -> str:
        name = self._text(value)
        if _NAME.fullmatch(name) is None:
            self._refuse(f"has {name[:60]!r} as {key}")
        return name

    def _words(self, value: object, key: str) -> tuple[str, ...] | None:
        """Return the words of a command, which is a list or a text for a shell's rules."""
        if value is None:
            return None
        if isinstance(value, list):
            return tuple(self._text(word) for word in value[:_MAX_VALUES])
        try:
            return tuple(shlex.split(self._text(value)))
        except ValueError as error:
            self._refuse(f"has a {key} that cannot be read: {error}")

    def _with_build(self, read: ComposeService, build: object) -> ComposeService:
        """Return the service with the folder from which its image is built."""
        if build is None:
            return read
        table = {"context": build} if isinstance(build, str) else build
        if not isinstance(table, dict):
            self._refuse("has a build that is neither a folder nor a table")
        for key in table:
            if key not in ("args", "context", "dockerfile", "labels", "tags", "target"):
                self._refuse(f"cannot be built: its build has {key}")
        context = self._text(table.get("context", "."))
        try:
            folder = self.files.files.resolve(self.path.parent / context)
            is_outside = not folder.is_relative_to(self.files.build_top)
        except SetFileError:
            is_outside = True
        if is_outside:
            self._refuse("is built from outside of the folder of the task")
        dockerfile = self._text(table.get("dockerfile")) or "Dockerfile"
        place = self.files.files.resolve(folder / dockerfile)
        if not place.is_relative_to(self.files.build_top):
            self._refuse("is built by a Dockerfile outside of the task")
        target = table.get("target")
        return replace(
            read,
            build_folder=folder,
            dockerfile=dockerfile,
            build_arguments=tuple(
                (name, self.files.filled_in(value))
                for name, value in self._pairs(table.get("args"), "args")
            ),
            build_target="" if target is None else self._name(target, "target"),
        )

    def _with_deploy(
        self, read: ComposeService, deploy: object, notes: list[str]
    ) -> ComposeService:
        """Return the service with the limits of `deploy: resources: limits`."""
        for key, value in _table(deploy, self._place("deploy")).items():
            if key not in ("resources", "replicas", "restart_policy", "labels", "mode"):
                self._refuse(f"has deploy with {key}")
            if key == "replicas" and value != 1:
                self._refuse(f"has deploy with {value} replicas")
        resources = _table(
            _table(deploy, self._place("deploy")).get("resources"),
            self._place("resources"),
        )
        limits = _table(resources.get("limits"), self._place("limits"))
        reservations = _table(
            resources.get("reservations"), self._place("reservations")
        )
        for name, table in (("limits", limits), ("reservations", reservations)):
            for key in table:
                if key in ("devices", "generic_resources"):
                    self._refuse("needs devices of this machine, such as GPUs")
                if key not in ("cpus", "memory", "pids"):
                    self._refuse(f"has {name} with {key}")
        cpus = self._cpus(limits.get("cpus"))
        memory = self._text(limits.get("memory"))
        return replace(read, cpus=read.cpus or cpus, memory=read.memory or memory)

    def _with_networks(
        self, read: ComposeService, service: Mapping[Any, Any]
    ) -> ComposeService:
        """Return the service with the networks by which it reaches others."""
        mode = self._text(service.get("network_mode")) or "networks"
        kind, _, other = mode.partition(":")
        if kind == "service" and _NAME.fullmatch(other) is not None:
            return replace(read, joined_service=other)
        if mode == "none":
            return replace(read, has_network=False)
        if mode not in ("networks", "bridge"):
            self._refuse(f"has network_mode {mode!r}")
        networks = service.get("networks")
        if networks is None or isinstance(networks, list):
            networks = dict.fromkeys(networks or ("default",))
        aliases: list[str] = []
        for options in _table(networks, self._place("networks")).values():
            for key, value in _table(options, self._place("networks")).items():
                if key not in ("aliases", "priority"):
                    self._refuse(f"has a network with {key}")
                if key == "aliases":
                    for alias in _list(value, self._place("aliases")):
                        aliases.append(self._name(alias, "alias"))
        names = tuple(self._name(name, "network") for name in networks)
        return replace(read, networks=names, aliases=tuple(aliases))

    def _with_volumes(
        self, read: ComposeService, service: Mapping[Any, Any]
    ) -> ComposeService:
        """Return the service with volumes of the trial's own, and folders in memory.

        A folder or file of this machine is refused, but for the folders of logs, for which a task in
        Harbor's format has variables: they are in each container anyhow.
        """
        volumes: list[tuple[str, str]] = []
        flags: list[str] = []
        for entry in _list(service.get("volumes"), self._place("volumes")):
            if isinstance(entry, dict):
                kind = self._text(entry.get("type"))
                source = self._text(entry.get("source"))
                target = self._text(entry.get("target"))
                if kind == "tmpfs":
                    flags.append(f"--tmpfs={self._path(target)}")
                    continue
                if kind != "volume":
                    self._refuse(f"mounts {source[:60]!r} of this machine (volumes)")
            else:
                parts = self._text(entry).split(":")
                source, target = ("", parts[0]) if len(parts) == 1 else parts[:2]
            if source == LOGS_OF_HOST:
                continue
            if source and source not in self.volumes:
                self._refuse(f"mounts {source[:60]!r} of this machine (volumes)")
            volumes.append((source, self._path(target)))
        for entry in _list(service.get("tmpfs"), self._place("tmpfs")):
            # Its options, such as its size, make no difference here.
            flags.append(f"--tmpfs={self._path(self._text(entry).partition(':')[0])}")
        return replace(read, volumes=tuple(volumes), flags=tuple(flags))

    def _path(self, text: str) -> str:
        """Return a path in a container, which podman and docker take for nothing else."""
        if not text.startswith("/") or set(text) & set(":,"):
            self._refuse(f"has the path {text[:60]!r}")
        check_workdir(text)
        return text

    def _flags(self, service: Mapping[Any, Any], notes: list[str]) -> Iterator[str]:
        """Yield the arguments of `podman run` for what only they say."""
        if service.get("shm_size"):
            size = self._text(service["shm_size"])
            check_memory(size)
            yield f"--shm-size={size}"
        if service.get("read_only"):
            yield "--read-only"
        for entry in _list(service.get("cap_drop"), self._place("cap_drop")):
            capability = self._text(entry)
            if _CAPABILITY.fullmatch(capability) is None:
                self._refuse(f"drops the capability {capability[:60]!r}")
            yield f"--cap-drop={capability}"
        for entry in _list(service.get("cap_add"), self._place("cap_add")):
            capability = self._text(entry).removeprefix("CAP_")
            if capability not in _HARMLESS_CAPABILITIES:
                self._refuse(f"wants the capability {capability[:60]!r} (cap_add)")
            notes.append(f"it gets no {capability} beyond what containers here have")
        for entry in _list(service.get("security_opt"), self._place("security_opt")):
            option = self._text(entry).replace("=", ":")
            if option not in ("no-new-privileges", "no-new-privileges:true"):
                self._refuse(f"has security_opt {option[:60]!r}")
            yield "--security-opt=no-new-privileges"
        for host, address in self._hosts(service.get("extra_hosts")):
            if address == "host-gateway":
                notes.append(f"its host {host} is not this machine, and leads nowhere")
            else:
                yield f"--add-host={host}:{address}"
        if self._text(service.get("restart")) not in ("", "no", "False"):
            yield "--restart=on-failure:10"
        if self._text(service.get("runtime")) not in ("", "runc", "crun"):
            self._refuse(f"has runtime {service['runtime']!r}")
        if service.get("scale") not in (None, 1):
            self._refuse(f"has scale {service['scale']!r}")
        if service.get("ports"):
            notes.append("its ports are not published on this machine")
        if service.get("ulimits"):
            notes.append("its ulimits are those of this machine")

    def _hosts(self, value: object) -> Iterator[tuple[str, str]]:
        """Yield names of hosts with the addresses that they stand for."""
        if isinstance(value, dict):
            entries = [f"{host}={address}" for host, address in value.items()]
        else:
            entries = [
                self._text(item) for item in _list(value, self._place("extra_hosts"))
            ]
        for entry in entries:
            host, _, address = entry.replace("=", ":", 1).partition(":")
            is_known = address == "host-gateway" or _ADDRESS.fullmatch(address)
            if not is_known:
                self._refuse(f"has the host {entry[:60]!r} (extra_hosts)")
            yield self._name(host, "host"), address

    def _healthcheck(self, value: object) -> Healthcheck | None:
        """Return the command that says whether it is ready; None if there is none."""
        table = _table(value, self._place("healthcheck"))
        test = table.get("test")
        if not test or table.get("disable"):
            return None
        if isinstance(test, list):
            kind, *words = [self._text(word) for word in test[:_MAX_VALUES]]
            if kind == "NONE":
                return None
            command = " ".join(words) if kind == "CMD-SHELL" else shlex.join(words)
            if kind not in ("CMD", "CMD-SHELL"):
                self._refuse(f"has a health check of the kind {kind[:60]!r}")
        else:
            command = self._text(test)
        fields: dict[str, Any] = {"command": command, "interval_sec": 30.0}
        for key in ("interval", "timeout", "start_period", "start_interval"):
            if key in table:
                fields[f"{key}_sec"] = self._seconds(table[key], key)
        if "retries" in table:
            fields["retries"] = table["retries"]
        return Healthcheck.model_validate(fields)

    def _seconds(self, value: object, key: str) -> float:
        """Return a duration in seconds: `1m30s` -> 90."""
        text = self._text(value)
        if _DURATION.fullmatch(text) is None:
            self._refuse(f"has {key} {text[:60]!r}, which is no time such as 1m30s")
        seconds = 0.0
        for match in _DURATION_PART.finditer(text):
            seconds += float(match[1]) * _UNIT_SECONDS[str(match[2])]
        return seconds

    def _after(self, value: object) -> Iterator[tuple[str, str]]:
        """Yield the services that start before it, with what is waited for."""
        if isinstance(value, list):
            value = dict.fromkeys(value)
        for name, options in _table(value, self._place("depends_on")).items():
            table = _table(options, self._place("depends_on"))
            condition = self._text(table.get("condition")) or "service_started"
            if condition not in _CONDITIONS:
                self._refuse(f"waits for {condition[:60]!r}")
            yield str(name), condition

    def _cpus(self, cpus: Any) -> float:
        """Return a number of cores; 0 if there is none."""
        fault = "has cpus that is not a number of cores"
        try:
            number = float(self._text(cpus) or 0)
        except (TypeError, ValueError, OverflowError):
            self._refuse(fault)
        if not 0 <= number < math.inf:  # `.nan` and `.inf` are numbers of YAML.
            self._refuse(fault)
        return number

    def _core_count(self, text: str) -> float:
        """Return how many cores a list names: `0-3,6` -> 5."""
        count = 0
        for part in text.split(","):
            first, _, last = part.strip().partition("-")
            is_number = first.isascii() and first.isdigit() and len(first) < 6
            if last:
                is_number = is_number and last.isascii() and last.isdigit()
            if not is_number or len(last) > 5 or int(last or first) < int(first):
                self._refuse(f"has cpuset {text[:60]!r}")
            count += int(last or first) - int(first) + 1
        return float(count)

    def _variables(self, service: Mapping[Any, Any]) -> Iterator[tuple[str, str]]:
        """Yield its variables, first those of its files."""
        for entry in _list(service.get("env_file"), self._place("env_file")):
            table = entry if isinstance(entry, dict) else {"path": entry}
            name = self._text(table.get("path"))
            content = self.files.files.read(self.path.parent / name, _MAX_FILE_BYTES)
            if content is None:
                if table.get("required", True):
                    self._refuse(f"has env_file {name[:60]!r}, which is missing")
                continue
            for line in content.decode("utf-8", "replace").splitlines():
                if line.strip() and not line.lstrip().startswith("#"):
                    variable, _, value = line.strip().partition("=")
                    yield variable, value.strip("\"'")
        for name, value in self._pairs(service.get("environment"), "environment"):
            yield name, self.files.filled_in(value, keeps_unknown=True)

    def _pairs(self, table: object, key: str) -> Iterator[tuple[str, str]]:
        """Yield names and values, written as `- NAME=VALUE` or `NAME: VALUE`."""
        if isinstance(table, dict):
            for name, value in table.items():
                yield str(name), "" if value is None else str(value)
        elif isinstance(table, list):
            for line in table:
                name, is_set, value = str(line).partition("=")
                # `- NAME` takes its value from this machine.
                yield name, value if is_set else "${" + name + "}"
        elif table is not None:
            self._refuse(f"has {key} that is neither a list nor a table")

    def _place(self, key: str) -> str:
        return f"{self.path.name}: {key} of its service {self.name}"


LOGS_OF_HOST: Final = "logs-of-host"
"""Stands for this machine's folder of logs in the values of `known`. A task's compose file may mount it."""
_CONDITIONS: Final = (
    "service_started",
    "service_healthy",
    "service_completed_successfully",
)


def _with_outside(
    service: ComposeService, internal: Mapping[str, bool], path: Path
) -> ComposeService:
    """Return a service that knows whether one of its networks reaches outside."""
    reaches_outside = not service.networks and service.has_network
    for name in service.networks:
        if name not in internal and name != "default":
            msg = f"{path.name}: its service {service.name} has the network {name}, which is not declared"
            raise ComposeError(msg)
        reaches_outside = reaches_outside or not internal.get(name, False)
    return replace(service, has_network=reaches_outside)


def _included_paths(entry: object, path: Path) -> list[str]:
    """Return the paths of an entry of `include`."""
    table = {"path": entry} if isinstance(entry, str) else entry
    if not isinstance(table, dict) or set(table) != {"path"}:
        msg = f"{path.name}: its include has more than a path"
        raise ComposeError(msg)
    return [str(name) for name in _list(table["path"], f"{path.name}: its include")]


def _internal_networks(networks: object, path: Path) -> dict[str, bool]:
    """Return for each declared network whether it reaches its own services alone."""
    internal = {}
    for name, options in _table(networks, f"{path.name}: its networks").items():
        table = _table(options, f"{path.name}: its network {name}")
        for key, value in table.items():
            is_known = key in ("attachable", "enable_ipv6", "internal", "labels")
            if not is_known and not (key == "driver" and value == "bridge"):
                msg = f"{path.name}: its network {name} has {key}"
                raise ComposeError(msg)
        internal[str(name)] = table.get("internal") is True
    return internal


def _own_volumes(volumes: object, path: Path) -> frozenset[str]:
    """Return the declared volumes. Each trial has its own, so those of this machine are refused."""
    names = []
    for name, options in _table(volumes, f"{path.name}: its volumes").items():
        for key, value in _table(options, f"{path.name}: its volume {name}").items():
            if key != "labels" and not (key == "driver" and value == "local"):
                msg = f"{path.name}: its volume {name} has {key}"
                raise ComposeError(msg)
        if _NAME.fullmatch(str(name)) is None:
            msg = f"{path.name}: {name!r} is no name of a volume"
            raise ComposeError(msg)
        names.append(str(name))
    return frozenset(names)


def _table(value: object, place: str) -> Mapping[Any, Any]:
    """Return a table; an empty one for None. Raises `ComposeError` for anything else."""
    if value is None:
        return {}
    if not isinstance(value, dict) or len(value) > _MAX_VALUES:
        msg = f"{place} is no table of at most {_MAX_VALUES} entries"
        raise ComposeError(msg)
    return value


def _list(value: object, place: str) -> Iterable[Any]:
    """Return a list; an empty one for None. Raises `ComposeError` for anything else."""
    if value is None:
        return ()
    if isinstance(value, str):
        return (value,)
    if not isinstance(value, list) or len(value) > _MAX_VALUES:
        msg = f"{place} is no list of at most {_MAX_VALUES} entries"
        raise ComposeError(msg)
    return value
