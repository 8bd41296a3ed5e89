"""Reads compose files: the containers of a task, and the networks between them.

    services:
      main: {image: "python:3.12", environment: {COLOUR: green}, cpus: 2}
      store: {image: "redis:7"}

What reaches this machine (its folders, sockets, devices, namespaces, privileges) is refused by
name, and so is every key that is not known: the task may not be able to do without it.
"""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Annotated, Any, Final, Literal, NoReturn, Self, TypeAlias

import re2
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    model_validator,
)

from controlplane.benchmarks.containers.container_settings import (
    AbsolutePath,
    Command,
    CoreCount,
    Healthcheck,
    ImageName,
    MemorySize,
    UserName,
    Variables,
    fault_of,
)
from controlplane.benchmarks.containers.set_files import SetFiles
from controlplane.sandbox.interface.foreign_documents import parse_yaml


class ComposeError(ValueError):
    """A compose file needs an unsupported feature. The message names it."""


# The keys of a service.

_IGNORED: Final = (
    "annotations attach attachable cpu_shares develop domainname enable_ipv6 expose init "
    "labels logging mem_reservation mem_swappiness memswap_limit mode oom_score_adj pids "
    "pids_limit platform priority pull_policy restart_policy stdin_open stop_grace_period "
    "stop_signal tty version"
)
"""They make no difference here, in whatever table they stand. Of processes and of pulls, the user
decides."""
_IGNORED_KEYS: Final = frozenset(_IGNORED.split())
_TOLD_KEYS: Final = {
    "dns": "its name servers are those of this machine",
    "dns_search": "its name servers are those of this machine",
    "ports": "its ports are not published on this machine",
    "sysctls": "its sysctls are those of this machine",
    "ulimits": "its ulimits are those of this machine",
}
"""What the user is told of a key that is not followed, whatever its value is."""
_NAME: Final = r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,60}$"
"""The name of a service, network, volume or host."""
_SERVICE_NAME: Final = re2.compile(_NAME)
_VARIABLE: Final = re2.compile(
    r"\$(?:(\$\{?)|\{([A-Za-z_][A-Za-z0-9_]*)(?::?([-+?])((?:[^{}]|\$\{[^{}]*\})*))?\}"
    r"|([A-Za-z_][A-Za-z0-9_]*))"
)
"""`$$`, `${NAME}`, `${NAME:-default}`, `${NAME:+other}`, `${NAME:?fault}` and `$NAME`.

The groups: `$`, name, sign, default, name. A default may have variables, too."""
_LITERAL: Final = "${_:-$}{"
"""Stands for `${` to those who fill in the variables of this machine later."""
_FILE_LINE: Final = re2.compile(
    r"""\s*(?:export\s+)?([^#=\s][^=\s]*)\s*=\s*(?:"([^"]*)"|'([^']*)'|(.*?))(?:\s+#.*)?\s*"""
)
"""`export NAME="value"  # note`. The groups: the name, and the value in either quotes or in none."""
_CORES: Final = re2.compile(r"([0-9]{1,5})(?:-([0-9]{1,5}))?")
"""A core, or the first and the last one: `0-3`."""
_DURATION: Final = re2.compile(r"(?:[0-9]+(?:\.[0-9]+)?(?:us|ms|s|m|h))+")
_DURATION_PART: Final = re2.compile(r"([0-9]+(?:\.[0-9]+)?)(us|ms|s|m|h)")
_UNIT_SECONDS: Final = {"us": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}
_HOST: Final = (
    r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,60}[=:]"
    r"(?:host-gateway|[0-9]{1,3}(?:\.[0-9]{1,3}){3}|[0-9A-Fa-f:]+)$"
)
"""A host with the address that it stands for: `store=10.0.0.7`."""
_CAPABILITY: Final = r"^(?:CAP_)?[A-Z_]{1,40}$"
_HARMLESS: Final = (
    r"AUDIT_WRITE|CHOWN|DAC_OVERRIDE|FOWNER|FSETID|KILL|MKNOD|NET_BIND_SERVICE|NET_RAW|"
    r"SETFCAP|SETGID|SETPCAP|SETUID|SYS_CHROOT|SYS_PTRACE"
)
"""Those that containers mostly have anyhow, or do without: none is added for a task."""
_MAX_FILE_BYTES: Final = 100_000
_MAX_FILES: Final = 20
"""The most files that include each other."""
_MAX_SERVICES: Final = 20
"""The most services of one trial."""
_MAX_VALUES: Final = 200
"""The most entries of one list or table of a service."""


_IS_DEFAULT: Final = "x-default"
LOGS_OF_HOST: Final = "logs-of-host"
"""Stands for this machine's folder of logs in the values of `known`. A task's compose file may mount it."""
_GATEWAY: Final = "host-gateway"
"""Stands for the address of this machine."""
_NETWORK_MODE: Final = (
    r"^(?:none|networks|bridge|service:[A-Za-z0-9][A-Za-z0-9_.-]{0,60})?$"
)
_NoNewPrivileges: TypeAlias = Literal[
    "no-new-privileges", "no-new-privileges:true", "no-new-privileges=true"
]


# The values of a service. Before they come here, their scalars are texts in which variables are filled in.


class _Refusal(ValueError):
    """A value of a service is refused. The message goes on from `its service main`: `has scale 2`."""


def _listed(value: object) -> object:
    """Return a list of a single value for a text."""
    return [value] if isinstance(value, str) else value


def _words(value: object) -> object:
    """Return the words of a command, which is a list or a text for a shell's rules."""
    return shlex.split(value) if isinstance(value, str) else value


def _number(value: object) -> object:
    """Return a number's text; 0 for an empty one, such as `${CPUS:-}`."""
    return value or 0


def _listed_cores(text: object) -> float:
    """Return how many cores a list names: `0-3,6` -> 5."""
    if not text:
        return 0.0
    count = 0
    for part in str(text).split(","):
        match = _CORES.fullmatch(part.strip())
        if match is None or int(match[2] or match[1]) < int(match[1]):
            msg = f"has cpuset {str(text)[:60]!r}"
            raise _Refusal(msg)
        count += int(match[2] or match[1]) - int(match[1]) + 1
    return float(count)


def _seconds(key: str, text: object) -> float:
    """Return a duration in seconds: `1m30s` -> 90."""
    if _DURATION.fullmatch(str(text)) is None:
        msg = f"has {key} {str(text)[:60]!r}, which is no time such as 1m30s"
        raise _Refusal(msg)
    seconds = 0.0
    for match in _DURATION_PART.finditer(str(text)):
        seconds += float(match[1]) * _UNIT_SECONDS[str(match[2])]
    return seconds


def _readiness(table: object) -> object:
    """Return the fields of the command that says whether a service is ready; None if there is none."""
    if not isinstance(table, dict):
        return table
    test = table.get("test")
    if not test or table.get("disable") == "true" or test == ["NONE"]:
        return None
    kind, *words = test if isinstance(test, list) else ("CMD-SHELL", test)
    if kind not in ("CMD", "CMD-SHELL"):
        msg = f"has a health check of the kind {str(kind)[:60]!r}"
        raise _Refusal(msg)
    command = " ".join(words) if kind == "CMD-SHELL" else shlex.join(words)
    fields: dict[str, Any] = {"command": command, "interval_sec": 30.0}
    for key in ("interval", "timeout", "start_period", "start_interval"):
        if key in table:
            fields[f"{key}_sec"] = _seconds(key, table[key])
    if "retries" in table:
        fields["retries"] = table["retries"]
    return fields


def _mount(entry: object) -> object:
    """Return a volume and its path: `data:/var/lib/data:ro` -> `("data", "/var/lib/data")`."""
    if isinstance(entry, dict):
        source = str(entry.get("source") or "")
        if entry.get("type") == "tmpfs":
            return "", entry.get("target")
        if entry.get("type") != "volume" and source != LOGS_OF_HOST:
            raise _foreign_mount(source)
        return source, entry.get("target")
    source, _, target = str(entry).partition(":")
    if not target:
        return "", source
    return source, target.partition(":")[0]


def _link(entry: object) -> object:
    """Return another service and a name for it: `db:database` -> `("db", "database")`."""
    service, _, name = str(entry).partition(":")
    return service, name or service


def _foreign_mount(source: str) -> _Refusal:
    return _Refusal(f"mounts {source[:60]!r} of this machine (volumes)")


def _memory_folder(text: object) -> str:
    """Return the path of a folder in memory. Its size and other options make no difference here."""
    return str(text).partition(":")[0]


def _hosts(value: object) -> object:
    """Return the entries of `extra_hosts` as a list, also those of a table."""
    if isinstance(value, dict):
        return [f"{host}={address}" for host, address in value.items()]
    return _listed(value)


def _without_prefix(text: object) -> str:
    """Return the name of a capability: `CAP_CHOWN` -> `CHOWN`."""
    return str(text).removeprefix("CAP_")


def _named_tables(value: object) -> object:
    """Return tables by their names. One that has nothing is empty, and so are those of a list."""
    if isinstance(value, list):
        value = dict.fromkeys(map(str, value))
    if isinstance(value, dict):
        return {str(name): table or {} for name, table in value.items()}
    return value


def _pairs(table: object) -> dict[str, Any]:
    """Return values by their names, written as `- NAME=VALUE` or `NAME: VALUE`."""
    if isinstance(table, dict):
        return {
            str(name): "" if value is None else value for name, value in table.items()
        }
    if not isinstance(table, list):
        msg = "has variables that are neither a list nor a table"
        raise _Refusal(msg)
    variables = {}
    for line in table:
        name, is_set, value = str(line).partition("=")
        # `- NAME` takes its value from this machine.
        variables[name] = value if is_set else "${" + name + "}"
    return variables


def _devices(value: object) -> NoReturn:
    msg = "needs devices of this machine, such as GPUs"
    raise _Refusal(msg)


_Name: TypeAlias = Annotated[str, Field(pattern=_NAME)]
_Path: TypeAlias = Annotated[AbsolutePath, Field(pattern=r"^/[^:,]*$")]
"""A path in a container, which podman and docker take for nothing else."""
_Cores: TypeAlias = Annotated[CoreCount, BeforeValidator(_number)]
_Words: TypeAlias = Annotated[tuple[Command, ...] | None, BeforeValidator(_words)]
_List: Final = BeforeValidator(_listed)
_NamedTables: Final = BeforeValidator(_named_tables)
_Devices: TypeAlias = Annotated[Any, AfterValidator(_devices)]


def _is_ignored(key: object) -> bool:
    """Return True for a key that makes no difference, such as those for other programs (`x-...`)."""
    is_foreign = str(key).startswith("x-") and key != _IS_DEFAULT
    return is_foreign or key in _IGNORED_KEYS


class _Table(BaseModel):
    """A table of a compose file. An unknown key is refused by its name."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _without_empty(cls, table: Any) -> Any:
        """A key without a value counts as missing, and so does one that makes no difference."""
        if not isinstance(table, dict):
            return table
        return {
            key: value
            for key, value in table.items()
            if value is not None and not _is_ignored(key)
        }


class _Include(_Table):
    path: Annotated[tuple[str, ...], _List]

    @model_validator(mode="before")
    @classmethod
    def _of_text(cls, value: Any) -> Any:
        return {"path": value} if isinstance(value, str) else value


class _Extension(_Table):
    """A service that another one begins with, mostly of the same file."""

    service: str
    file: str = ""


class _Network(_Table):
    """A network of the trial's own."""

    driver: Literal["bridge"] = "bridge"
    name: Any = None
    internal: Any = False
    """True if it reaches its own services alone."""


class _Volume(_Table):
    """A volume of the trial's own: those of this machine are refused."""

    driver: Literal["local"] = "local"
    name: Any = None


class _File(_Table):
    """A compose file."""

    include: Annotated[tuple[_Include, ...], _List] = ()
    name: Any = None
    networks: Annotated[dict[str, _Network], _NamedTables] = {}
    services: dict[Any, Any] = {}
    volumes: Annotated[dict[_Name, _Volume], _NamedTables] = {}


class _Dependency(_Table):
    """What is waited for before a service starts."""

    model_config = ConfigDict(extra="ignore")

    condition: Literal[
        "service_started", "service_healthy", "service_completed_successfully"
    ] = "service_started"
    required: bool = True
    """False if a service that is missing is not waited for."""


class _Attachment(_Table):
    """A network of a service."""

    aliases: Annotated[tuple[_Name, ...], _List] = ()
    """Its further names there."""


class _Limits(_Table):
    """The table `limits` of `deploy: resources:`."""

    cpus: _Cores = 0.0
    memory: MemorySize = ""
    devices: _Devices = None
    generic_resources: _Devices = None


class _Reservations(_Limits):
    """The table `reservations`. Nothing is reserved here."""


class _Resources(_Table):
    model_config = ConfigDict(extra="ignore")

    limits: _Limits = _Limits()
    reservations: _Reservations = _Reservations()


class _Deploy(_Table):
    """How a service is deployed. Its limits count, and there is one container of it."""

    model_config = ConfigDict(extra="ignore")

    resources: _Resources = _Resources()
    replicas: Literal["1"] = "1"


class ComposeBuild(_Table):
    """How an image is built."""

    folder: Path
    """It holds what is copied into the image."""
    dockerfile: str = "Dockerfile"
    """Its path in that folder."""
    inline: str = ""
    """The text of the Dockerfile, if it is no file."""
    arguments: Variables = {}
    target: _Name = ""
    """The stage to build; empty for the last one."""

    def content(self, files: SetFiles, max_bytes: int) -> bytes | None:
        """Return the Dockerfile; None if it is missing. Raises `SetFileError`."""
        if self.inline:
            return self.inline.encode()
        return files.read(self.folder / self.dockerfile, max_bytes)


class ComposeService(_Table):
    """A container: its image, variables, limits and first process.

    Each field is a key of a compose file: it is followed, or the user is told of it. A value that would
    reach this machine is refused by its field's type, and so is every other key by its name.
    """

    model_config = ConfigDict(validate_by_name=True, validate_by_alias=True)

    name: str = "main"
    has_network: bool = True
    """False if it reaches nothing else: `network_mode: none`, or internal networks alone."""
    file_notes: tuple[str, ...] = ()
    """What the user is told of its file."""
    is_default: bool = Field(default=False, validation_alias=_IS_DEFAULT)
    """True if the file marks it as that of the agent."""

    # What is followed.
    image: ImageName = ""
    """Empty if the image is built, or if the task names it elsewhere."""
    build: ComposeBuild | None = None
    """None if the image is not built."""
    variables: Variables = Field(default={}, validation_alias="environment")
    workdir: AbsolutePath = Field(default="", validation_alias="working_dir")
    user: UserName = ""
    memory: MemorySize = Field(default="", validation_alias="mem_limit")
    cpus: _Cores = 0.0
    entrypoint: _Words = None
    """None for the image's."""
    command: _Words = None
    healthcheck: Annotated[Healthcheck | None, BeforeValidator(_readiness)] = None
    after: Annotated[dict[str, _Dependency], _NamedTables] = Field(
        default={}, validation_alias="depends_on"
    )
    """Services that start before it."""
    network_mode: Annotated[str, Field(pattern=_NETWORK_MODE)] = ""
    networks: Annotated[dict[_Name, _Attachment], _NamedTables] = {}
    """The networks by which it reaches other services."""
    volumes: Annotated[
        tuple[Annotated[tuple[str, _Path], BeforeValidator(_mount)], ...], _List
    ] = ()
    """Named volumes of the trial with their paths: `("data", "/var/lib/data")`."""
    tmpfs: Annotated[
        tuple[Annotated[_Path, BeforeValidator(_memory_folder)], ...], _List
    ] = ()
    links: Annotated[
        tuple[Annotated[tuple[_Name, _Name], BeforeValidator(_link)], ...], _List
    ] = ()
    """Other services, and the names that it has for them."""
    link_names: tuple[str, ...] = ()
    """The names that others have for it."""
    container_name: _Name = ""
    hostname: _Name = ""
    shm_size: MemorySize = ""
    read_only: bool = False
    cap_drop: Annotated[
        tuple[Annotated[str, Field(pattern=_CAPABILITY)], ...], _List
    ] = ()
    security_opt: Annotated[tuple[_NoNewPrivileges, ...], _List] = ()
    extra_hosts: Annotated[
        tuple[Annotated[str, Field(pattern=_HOST)], ...], BeforeValidator(_hosts)
    ] = ()
    restart: str = ""
    runtime: Literal["", "runc", "crun"] = ""
    scale: Literal["1"] = "1"
    deploy: _Deploy = _Deploy()

    # What the user is told.
    cap_add: Annotated[
        tuple[
            Annotated[
                str,
                Field(pattern=rf"^(?:{_HARMLESS})$"),
                BeforeValidator(_without_prefix),
            ],
            ...,
        ],
        _List,
    ] = ()
    cpuset: Annotated[float, BeforeValidator(_listed_cores)] = 0.0
    """How many cores it names. It gets as many, and not certain ones."""

    @property
    def joined_service(self) -> str:
        """The service whose network it shares (`network_mode: service:NAME`); mostly empty."""
        return self.network_mode.partition(":")[2]

    @property
    def aliases(self) -> list[str]:
        """Its further names in its networks."""
        names = [name for network in self.networks.values() for name in network.aliases]
        names += (self.container_name, self.hostname, *self.link_names)
        return [name for name in names if name]

    @property
    def flags(self) -> list[str]:
        """Further arguments of `podman run`, each made of checked values: `--shm-size=1g`."""
        flags = [f"--tmpfs={path}" for path in self.tmpfs]
        if self.shm_size:
            flags.append(f"--shm-size={self.shm_size}")
        if self.read_only:
            flags.append("--read-only")
        flags += [f"--cap-drop={capability}" for capability in self.cap_drop]
        if self.security_opt:
            flags.append("--security-opt=no-new-privileges")
        for host in self.extra_hosts:
            if not host.endswith(_GATEWAY):
                flags.append(f"--add-host={host.replace('=', ':', 1)}")
        if self.restart not in ("", "no", "false"):
            flags.append("--restart=on-failure:10")
        if self.hostname:
            flags.append(f"--hostname={self.hostname}")
        return flags

    @property
    def notes(self) -> Iterator[str]:
        """What the user is told: `its ports are not published on this machine`."""
        for capability in self.cap_add:
            yield f"it gets no {capability} beyond what containers here have"
        for host in self.extra_hosts:
            if host.endswith(_GATEWAY):
                yield f"its host {host[: -len(_GATEWAY) - 1]} is not this machine, and leads nowhere"
        if self.cpuset:
            yield f"it gets {self.cpuset:g} cores, and not certain ones"
        yield from self.file_notes

    def resolved(self, internal: Mapping[str, bool], volumes: Collection[str]) -> Self:
        """Return the same service with what follows from several keys, and from its file.

        `internal` says of each declared network whether it reaches its own services alone. A mount
        of this machine is refused, but for the folders of logs, for which a task in Harbor's format
        has variables: they are in each container anyhow.
        """
        networks = self.networks or {"default": _Attachment()}
        if self.network_mode == "none" or self.joined_service:
            networks = {}
        reaches_outside = not networks and self.network_mode != "none"
        for name in networks:
            if name not in internal and name != "default":
                msg = f"has the network {name}, which is not declared"
                raise _Refusal(msg)
            reaches_outside = reaches_outside or not internal.get(name, False)
        mounts = [mount for mount in self.volumes if mount[0] != LOGS_OF_HOST]
        for source, _ in mounts:
            if source and source not in volumes:
                raise _foreign_mount(source)
        limits = self.deploy.resources.limits
        return self.model_copy(
            update={
                "networks": networks,
                "has_network": reaches_outside,
                "volumes": tuple(mounts),
                "cpus": self.cpus or limits.cpus or self.cpuset,
                "memory": self.memory or limits.memory,
            }
        )


_SET_BY_READER: Final = frozenset({"name", "has_network", "file_notes", "link_names"})
"""The fields of a service that are no keys of a file."""


@dataclass(frozen=True, slots=True)
class ComposeProject:
    """The services of a compose file, by name. One of them is the agent's."""

    services: Mapping[str, ComposeService] = field(default_factory=dict)
    main_name: str = "main"

    @property
    def main(self) -> ComposeService:
        """The service in which the agent works. A file with others alone leaves it open."""
        return self.services.get(self.main_name, ComposeService(name=self.main_name))

    @property
    def sidecars(self) -> list[ComposeService]:
        """The other services."""
        services = self.services.values()
        return [service for service in services if service.name != self.main_name]

    @property
    def notes(self) -> Iterator[str]:
        """What the user is told of its services: `main: its ports are not published`."""
        for service in self.services.values():
            for note in service.notes:
                yield f"{service.name}: {note}"

    def with_main(self, main: ComposeService) -> ComposeProject:
        """Return the same project with another service for the agent."""
        others = {service.name: service for service in self.sidecars}
        return replace(self, services={self.main_name: main, **others})

    def with_network(self, *, is_allowed: bool) -> ComposeProject:
        """Return the same project, in which no service has a network unless that is allowed."""
        if is_allowed:
            return self
        offline = {"has_network": False}
        services = {
            service.name: service.model_copy(update=offline)
            for service in self.in_order()
        }
        return replace(self, services=services)

    def in_order(self) -> list[ComposeService]:
        """Return all services, each after those that it needs. Raises `ComposeError` for a circle."""
        services = {**self.services, self.main_name: self.main}
        needed = {name: _needed_by(service) for name, service in services.items()}
        try:
            names = list(TopologicalSorter(needed).static_order())
        except CycleError as error:
            msg = f"its services wait for each other: {', '.join(error.args[1])}"
            raise ComposeError(msg) from error
        return [services[name] for name in names]


def _needed_by(service: ComposeService) -> list[str]:
    """Return the services that have to start before one."""
    names = [*service.after, *(link[0] for link in service.links)]
    if service.joined_service:
        names.append(service.joined_service)
    return names


_COMPOSE_FILES: Final = (
    "compose.yaml",
    "compose.yml",
    "docker-compose.yaml",
    "docker-compose.yml",
)
"""The names of compose files. Programs take the first one that is there."""


def compose_file_in(
    folder: Path, files: SetFiles, names: Sequence[str] = _COMPOSE_FILES
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
    reader = _ComposeReader(files, known or {}, build_top or files.root)
    reader.read(path)
    services = {}
    links = [link for service in reader.services.values() for link in service.links]
    for name, service in reader.services.items():
        after = {
            other: dependency
            for other, dependency in service.after.items()
            if dependency.required or other in reader.services
        }
        link_names = tuple(link[1] for link in links if link[0] == name)
        update = {"after": after, "link_names": link_names}
        service = service.model_copy(update=update)
        with _refusals_of(f"{path.name}: its service {name}"):
            services[name] = service.resolved(reader.internal, reader.volumes)
            for other in _needed_by(service):
                if other not in reader.services:
                    msg = f"needs {other}, which is missing"
                    raise _Refusal(msg)
    if not 1 <= len(services) <= _MAX_SERVICES:
        msg = f"{path.name} has {len(services) or 'no'} services: 1 to {_MAX_SERVICES} are played"
        raise ComposeError(msg)
    first = next(iter(services))
    ComposeProject(services, first).in_order()  # for a circle
    for name in _COMPOSE_FILES:
        beside = path.parent / name
        is_read = beside.resolve() in reader.read_paths
        if path.name in _COMPOSE_FILES and beside.is_file() and not is_read:
            note = f"{path.name} is read, and {name} beside it is not"
            notes = (*services[first].file_notes, note)
            services[first] = services[first].model_copy(update={"file_notes": notes})
    return services


@dataclass(slots=True)
class _ComposeReader:
    """Reads a compose file with those that it includes."""

    files: SetFiles
    known: Mapping[str, str]
    build_top: Path
    services: dict[str, ComposeService] = field(default_factory=dict)
    """Those of all files, by name."""
    internal: dict[str, bool] = field(default_factory=dict)
    """The networks of all files, and whether each reaches its own services alone."""
    volumes: set[str] = field(default_factory=set)
    """The volumes of all files."""
    read_paths: set[Path] = field(default_factory=set)

    def read(self, path: Path) -> None:
        """Read a file, after those that it includes. Raises `ComposeError`."""
        place = path.resolve()
        if place in self.read_paths or len(self.read_paths) >= _MAX_FILES:
            msg = f"{path.name} is included twice, or by more than {_MAX_FILES} files"
            raise ComposeError(msg)
        self.read_paths.add(place)
        with _refusals_of(path.name):
            file = self._file(path)
        for included in file.include:
            for name in included.path:
                self.read(path.parent / name)

        for name, network in file.networks.items():
            self.internal[name] = network.internal is True
        self.volumes |= file.volumes.keys()
        for name, table in file.services.items():
            with _refusals_of(f"{path.name}: its service {name}"):
                if _SERVICE_NAME.fullmatch(str(name)) is None:
                    msg = "has no name that a service may have"
                    raise _Refusal(msg)
                if not isinstance(table, dict):
                    msg = "is not a table"
                    raise _Refusal(msg)
                if table.get("profiles"):  # Such a service is started by hand alone.
                    continue
                if str(name) in self.services:
                    msg = "is in an included file, too"
                    raise _Refusal(msg)
                whole = self._whole(table, path)
                self.services[str(name)] = self._service(str(name), whole, path.parent)

    def _file(self, path: Path) -> _File:
        content = self.files.read(path, _MAX_FILE_BYTES)
        if content is None:
            msg = "is missing"
            raise _Refusal(msg)
        data = parse_yaml(content.decode("utf-8"), refuses_nul=True)
        if not isinstance(data, dict) or not {"services", "include"} & data.keys():
            msg = "has no services"
            raise _Refusal(msg)
        return _File.model_validate(data)

    def _whole(
        self, table: Mapping[Any, Any], path: Path, depth: int = 0
    ) -> dict[Any, Any]:
        """Return the table of a service with what it takes from another one (`extends`)."""
        own = {**table}
        extends = own.pop("extends", None)
        if extends is None:
            return own
        if isinstance(extends, str):
            extends = {"service": extends}
        extension = _Extension.model_validate(extends)
        other_path = path.parent / (extension.file or path.name)
        other = self._file(other_path).services.get(extension.service)
        is_beside = other_path.parent.resolve() == path.parent.resolve()
        if not isinstance(other, dict) or not is_beside or depth == _MAX_FILES:
            msg = f"extends {extension.service[:60]!r}, which is not in its folder"
            raise _Refusal(msg)
        whole = self._whole(other, other_path, depth + 1)
        whole.pop("profiles", None)
        for key in whole.keys() & own.keys():
            base, value = whole[key], own[key]
            if key == "environment":
                base, value = _pairs(base), _pairs(value)
            if isinstance(base, dict) and isinstance(value, dict):
                own[key] = base | value
            is_list = isinstance(base, list) and isinstance(value, list)
            if is_list and key not in ("command", "entrypoint"):
                own[key] = base + value
        return whole | own

    def _service(
        self, name: str, table: Mapping[Any, Any], folder: Path
    ) -> ComposeService:
        """Return the service that a table describes. `folder` is that of its file."""
        values: dict[Any, Any] = {"name": name}
        notes: dict[str, None] = {}
        for key, value in table.items():
            if key in _SET_BY_READER:
                msg = f"has {key}"
                raise _Refusal(msg)
            if value is None or value is False or _is_ignored(key):
                continue  # `privileged: false` asks for nothing.
            if key == "image" and "build" in table:
                continue  # It names what is built.
            if key in _TOLD_KEYS:
                if value:
                    notes[_TOLD_KEYS[key]] = None
            elif key == "environment":
                values[key] = self._filled_in(_pairs(value), keeps_unknown=True)
            elif key == "build":
                values[key] = self._build(value, folder)
            else:
                values[key] = self._filled_in(value)
        if "env_file" in values:
            variables = self._file_variables(values.pop("env_file"), folder)
            values["environment"] = variables | values.get("environment", {})
        values["file_notes"] = tuple(notes)
        return ComposeService.model_validate(values, by_alias=True, by_name=False)

    def _build(self, value: object, folder: Path) -> ComposeBuild:
        """Return how an image is built, from a folder of the task."""
        table = {"context": value} if isinstance(value, str) else value
        if not isinstance(table, dict):
            msg = "has a build that is neither a folder nor a table"
            raise _Refusal(msg)
        for key in table:
            if key not in _BUILD_KEYS:
                msg = f"cannot be built: its build has {key}"
                raise _Refusal(msg)
        inline = table.get("dockerfile_inline") or ""
        texts: dict[str, Any] = self._filled_in(
            table | {"args": _pairs(table.get("args") or {}), "dockerfile_inline": None}
        )
        context = self.files.resolve(folder / (texts.get("context") or "."))
        dockerfile = texts.get("dockerfile") or "Dockerfile"
        for place in (context, self.files.resolve(context / dockerfile)):
            if not place.is_relative_to(self.build_top):
                msg = "is built from outside of the folder of the task"
                raise _Refusal(msg)
        build = {
            "folder": context,
            "dockerfile": dockerfile,
            "inline": inline,
            "arguments": texts["args"],
        }
        return ComposeBuild.model_validate(build | {"target": texts.get("target")})

    def _file_variables(self, value: Any, folder: Path) -> dict[str, str]:
        """Return the variables of files with lines `NAME=VALUE`."""
        variables: dict[str, str] = {}
        for entry in value if isinstance(value, list) else [value]:
            table = entry if isinstance(entry, dict) else {"path": entry}
            name = table.get("path") or ""
            content = self.files.read(folder / name, _MAX_FILE_BYTES)
            if content is None and table.get("required") != "false":
                msg = f"has env_file {name[:60]!r}, which is missing"
                raise _Refusal(msg)
            for line in (content or b"").decode("utf-8", "replace").splitlines():
                match = _FILE_LINE.fullmatch(line)
                if match is not None:
                    variables[match[1]] = match[2] or match[3] or match[4] or ""
        return variables

    def _filled_in(self, value: Any, *, keeps_unknown: bool = False) -> Any:
        """Return a value whose scalars are texts, with their variables filled in.

        They are known, or have a default. Another one is refused: this machine's could say anything.
        With `keeps_unknown`, it stays for later, as for what only a container gets.
        """
        if isinstance(value, (dict, list)) and len(value) > _MAX_VALUES:
            msg = f"has {len(value)} where a list of at most {_MAX_VALUES} entries belongs"
            raise _Refusal(msg)
        if isinstance(value, dict):
            return {
                str(key): self._filled_in(part, keeps_unknown=keeps_unknown)
                for key, part in value.items()
            }
        if isinstance(value, list):
            return [
                self._filled_in(part, keeps_unknown=keeps_unknown) for part in value
            ]
        if value is None:
            return None
        text = str(value).lower() if isinstance(value, bool) else str(value)

        def value_of(match: Any) -> str:
            if match[1]:
                is_brace = match[1] == "${"
                return _LITERAL if is_brace and keeps_unknown else str(match[1])
            name = str(match[2] or match[5])
            sign = match[3]
            other = str(self._filled_in(match[4])) if sign in ("-", "+") else ""
            if name in self.known:
                return other if sign == "+" else self.known[name]
            if sign == "+":
                return ""
            if keeps_unknown:
                return f"${{{name}:-{other}}}" if sign == "-" else f"${{{name}}}"
            if sign != "-":
                msg = f"has the variable {name} of this machine"
                raise _Refusal(msg)
            return other

        return str(_VARIABLE.sub(value_of, text))


_BUILD_KEYS: Final = (
    *("args", "context", "dockerfile", "dockerfile_inline", "labels", "tags"),
    "target",
)


@contextmanager
def _refusals_of(whole: str) -> Iterator[None]:
    """Name what is refused: `its service main` has scale 2. Raises `ComposeError`."""
    try:
        yield
    except ValidationError as error:
        raise ComposeError(whole + _fault(error)) from error
    except _Refusal as error:
        msg = f"{whole} {error}"
        raise ComposeError(msg) from error
    except ValueError as error:  # a file that leads out of the set, or is no YAML
        msg = f"{whole} cannot be read: {error}"
        raise ComposeError(msg) from error


def _fault(error: ValidationError) -> str:
    """Return the first fault, as it goes on from `compose.yaml` or `its service main`: ` has scale 2`."""
    first = error.errors(include_url=False)[0]
    cause = first.get("ctx", {}).get("error")
    if isinstance(cause, _Refusal):
        return f" {cause}"
    if first["type"] == "value_error":  # Its message has no value that may be secret.
        return f": {fault_of(error)}"
    if first["type"] == "extra_forbidden":
        *places, key = map(str, first["loc"])
        place = f" in {'.'.join(places)}" if places else ""
        return f" has {key}{place}"
    return f" has {str(first['input'])[:60]!r} as {fault_of(error)}"
