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
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, Final, Literal, NoReturn, TypeAlias

import re2
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    ValidationInfo,
    model_validator,
)

from controlplane.benchmarks.containers.set_files import SetFileError, SetFiles
from controlplane.benchmarks.containers.task_values import (
    AbsolutePath,
    Command,
    CoreCount,
    ImageName,
    MemorySize,
    UserName,
    Variables,
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
_NAME: Final = r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,60}$"
"""The name of a service, network, volume or host."""
_SERVICE_NAME: Final = re2.compile(_NAME)
_VARIABLE: Final = re2.compile(
    r"\$(?:(\$)|\{([A-Za-z_][A-Za-z0-9_]*)(?::?-([^}]*))?\}|([A-Za-z_][A-Za-z0-9_]*))"
)
"""`$$`, `${NAME}`, `${NAME:-default}` and `$NAME`. The groups: `$`, name, default, name."""
_DURATION: Final = re2.compile(r"(?:[0-9]+(?:\.[0-9]+)?(?:us|ms|s|m|h))+")
_DURATION_PART: Final = re2.compile(r"([0-9]+(?:\.[0-9]+)?)(us|ms|s|m|h)")
_UNIT_SECONDS: Final = {"us": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}
_HOST: Final = (
    r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,60}[=:]"
    r"(?:host-gateway|[0-9]{1,3}(?:\.[0-9]{1,3}){3}|[0-9A-Fa-f:]+)$"
)
"""A host with the address that it stands for: `store=10.0.0.7`."""
_CAPABILITY: Final = r"^(?:CAP_)?[A-Z_]{1,40}$"
_HarmlessCapability: TypeAlias = Literal[
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
]
"""Those that containers mostly have anyhow, or do without: none is added for a task."""
_MAX_FILE_BYTES: Final = 100_000
_MAX_FILES: Final = 20
"""The most files that include each other."""
_MAX_SERVICES: Final = 20
"""The most services of one trial."""
_MAX_VALUES: Final = 200
"""The most entries of one list or table of a service."""


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


# The values of a service: each is read by its own rule, and refused by name if it breaks it.


class _Refusal(ValueError):
    """A value of a service is refused. The message goes on from `its service main`: `has scale 2`."""


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a service stands: its file, with the volumes that the file declares."""

    reader: _ComposeReader
    path: Path
    volumes: Collection[str]


def _text(value: object, info: ValidationInfo) -> str:
    """Return a scalar as a text with its variables filled in; empty for None."""
    if value is None:
        return ""
    if isinstance(value, (dict, list)):
        msg = f"has {str(value)[:60]!r} where a text belongs"
        raise _Refusal(msg)
    place: _Place | None = info.context
    return str(value) if place is None else place.reader.filled_in(str(value))


def _listed(value: object) -> list[Any] | tuple[Any, ...]:
    """Return a list; one of a single value for a text, and an empty one for None."""
    if value is None:
        return []
    if isinstance(value, str):
        return [value]
    if not isinstance(value, (list, tuple)) or len(value) > _MAX_VALUES:
        msg = (
            f"has something else where a list of at most {_MAX_VALUES} entries belongs"
        )
        raise _Refusal(msg)
    return value


def _tabled(value: object) -> dict[Any, Any]:
    """Return a table; an empty one for None."""
    if value is None:
        return {}
    if not isinstance(value, dict) or len(value) > _MAX_VALUES:
        msg = (
            f"has something else where a table of at most {_MAX_VALUES} entries belongs"
        )
        raise _Refusal(msg)
    return value


def _words(value: object, info: ValidationInfo) -> list[str] | None:
    """Return the words of a command, which is a list or a text for a shell's rules."""
    if value is None:
        return None
    if isinstance(value, (list, tuple)):
        return [_text(word, info) for word in _listed(value)]
    return shlex.split(_text(value, info))


def _cores(value: object, info: ValidationInfo) -> float:
    """Return a number of cores; 0 if there is none."""
    try:
        cores = float(_text(value, info) or 0)
    except (ValueError, OverflowError):
        cores = math.nan
    if not 0 <= cores < math.inf:  # `.nan` and `.inf` are numbers of YAML.
        msg = "has cpus that is not a number of cores"
        raise _Refusal(msg)
    return cores


def _listed_cores(value: object, info: ValidationInfo) -> float:
    """Return how many cores a list names: `0-3,6` -> 5."""
    text = _text(value, info)
    count = 0
    for part in text.split(",") if text else ():
        first, _, last = part.strip().partition("-")
        is_number = first.isascii() and first.isdigit() and len(first) < 6
        if last:
            is_number = is_number and last.isascii() and last.isdigit()
        if not is_number or len(last) > 5 or int(last or first) < int(first):
            msg = f"has cpuset {text[:60]!r}"
            raise _Refusal(msg)
        count += int(last or first) - int(first) + 1
    return float(count)


def _seconds(value: object, key: str, info: ValidationInfo) -> float:
    """Return a duration in seconds: `1m30s` -> 90."""
    text = _text(value, info)
    if _DURATION.fullmatch(text) is None:
        msg = f"has {key} {text[:60]!r}, which is no time such as 1m30s"
        raise _Refusal(msg)
    seconds = 0.0
    for match in _DURATION_PART.finditer(text):
        seconds += float(match[1]) * _UNIT_SECONDS[str(match[2])]
    return seconds


def _readiness(value: object, info: ValidationInfo) -> object:
    """Return the command that says whether a service is ready; None if there is none."""
    if value is None or isinstance(value, Healthcheck):
        return value
    table = _tabled(value)
    test = table.get("test")
    if not test or table.get("disable"):
        return None
    if isinstance(test, list):
        kind, *words = [_text(word, info) for word in _listed(test)]
        if kind == "NONE":
            return None
        command = " ".join(words) if kind == "CMD-SHELL" else shlex.join(words)
        if kind not in ("CMD", "CMD-SHELL"):
            msg = f"has a health check of the kind {kind[:60]!r}"
            raise _Refusal(msg)
    else:
        command = _text(test, info)
    fields: dict[str, Any] = {"command": command, "interval_sec": 30.0}
    for key in ("interval", "timeout", "start_period", "start_interval"):
        if key in table:
            fields[f"{key}_sec"] = _seconds(table[key], key, info)
    if "retries" in table:
        fields["retries"] = table["retries"]
    return fields


def _mounts(value: object, info: ValidationInfo) -> list[tuple[str, str]]:
    """Return the volumes of a service, each of the trial's own.

    A folder or file of this machine is refused, but for the folders of logs, for which a task in
    Harbor's format has variables: they are in each container anyhow.
    """
    place: _Place | None = info.context
    mounts: list[tuple[str, str]] = []
    for entry in _listed(value):
        if isinstance(entry, tuple):
            mounts.append(entry)
            continue
        is_volume = True
        if isinstance(entry, dict):
            is_volume = _text(entry.get("type"), info) == "volume"
            source = _text(entry.get("source"), info)
            target = _text(entry.get("target"), info)
        else:
            source, _, target = _text(entry, info).partition(":")
            target = target.partition(":")[0]
            if not target:
                source, target = "", source
        if source == LOGS_OF_HOST:
            continue
        is_own = place is not None and source in place.volumes
        if not is_volume or (source and not is_own):
            msg = f"mounts {source[:60]!r} of this machine (volumes)"
            raise _Refusal(msg)
        mounts.append((source, target))
    return mounts


def _memory_folder(value: object, info: ValidationInfo) -> str:
    """Return the path of a folder in memory. Its size and other options make no difference here."""
    return _text(value, info).partition(":")[0]


def _hosts(value: object) -> object:
    """Return the entries of `extra_hosts` as a list, also those of a table."""
    if isinstance(value, dict):
        return [f"{host}={address}" for host, address in value.items()]
    return _listed(value)


def _without_prefix(value: object, info: ValidationInfo) -> str:
    """Return the name of a capability: `CAP_CHOWN` -> `CHOWN`."""
    return _text(value, info).removeprefix("CAP_")


def _variables(value: object, info: ValidationInfo) -> dict[str, str]:
    """Return the variables of a container. One that is not known stays, for the container alone."""
    variables = {}
    for name, text in _pairs(value):
        if info.context is not None:
            text = info.context.reader.filled_in(text, keeps_unknown=True)
        variables[name] = text
    return variables


def _file_variables(value: object, info: ValidationInfo) -> dict[str, str]:
    """Return the variables of files with lines `NAME=VALUE`."""
    place: _Place | None = info.context
    variables: dict[str, str] = {}
    if place is None:
        return variables
    for entry in _listed(value):
        table = entry if isinstance(entry, dict) else {"path": entry}
        name = _text(table.get("path"), info)
        content = place.reader.files.read(place.path.parent / name, _MAX_FILE_BYTES)
        if content is None:
            if table.get("required", True):
                msg = f"has env_file {name[:60]!r}, which is missing"
                raise _Refusal(msg)
            continue
        for line in content.decode("utf-8", "replace").splitlines():
            if line.strip() and not line.lstrip().startswith("#"):
                variable, _, text = line.strip().partition("=")
                variables[variable] = text.strip("\"'")
    return variables


def _pairs(table: object) -> Iterator[tuple[str, str]]:
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
        msg = "has variables that are neither a list nor a table"
        raise _Refusal(msg)


def _devices(value: object) -> NoReturn:
    msg = "needs devices of this machine, such as GPUs"
    raise _Refusal(msg)


_Text: TypeAlias = Annotated[str, BeforeValidator(_text)]
_Name: TypeAlias = Annotated[str, Field(pattern=_NAME), BeforeValidator(_text)]
_Path: TypeAlias = Annotated[AbsolutePath, Field(pattern=r"^/[^:,]*$")]
"""A path in a container, which podman and docker take for nothing else."""
_Cores: TypeAlias = Annotated[CoreCount, BeforeValidator(_cores)]
_Memory: TypeAlias = Annotated[MemorySize, BeforeValidator(_text)]
_Words: TypeAlias = Annotated[tuple[Command, ...] | None, BeforeValidator(_words)]
_List: Final = BeforeValidator(_listed)
_Devices: TypeAlias = Annotated[Any, AfterValidator(_devices)]


class _Table(BaseModel):
    """A table of a compose file. An unknown key is refused by its name."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _without_empty(cls, table: Any) -> Any:
        """A key without a value counts as missing."""
        if isinstance(table, dict):
            return {key: value for key, value in table.items() if value is not None}
        return table


def _named_tables(value: object) -> dict[str, Any]:
    """Return tables by their names. One that has nothing is empty, and so are those of a list."""
    if isinstance(value, list):
        value = dict.fromkeys(str(name) for name in value)
    return {str(name): table or {} for name, table in _tabled(value).items()}


def _included(value: object) -> object:
    return {"path": value} if isinstance(value, str) else value


class _Include(_Table):
    path: Annotated[tuple[str, ...], _List]


class _Network(_Table):
    """A network of the trial's own."""

    driver: Literal["bridge"] = "bridge"
    internal: Any = False
    """True if it reaches its own services alone."""
    attachable: Any = None
    enable_ipv6: Any = None
    labels: Any = None


class _Volume(_Table):
    """A volume of the trial's own: those of this machine are refused."""

    driver: Literal["local"] = "local"
    labels: Any = None


class _File(_Table):
    """A compose file. Its keys for other programs (`x-...`) are left out."""

    include: Annotated[
        tuple[Annotated[_Include, BeforeValidator(_included)], ...], _List
    ] = ()
    name: Any = None
    networks: Annotated[dict[str, _Network], BeforeValidator(_named_tables)] = Field(
        default_factory=dict
    )
    services: Annotated[dict[Any, Any], BeforeValidator(_tabled)] = Field(
        default_factory=dict
    )
    version: Any = None
    volumes: Annotated[
        dict[Annotated[str, Field(pattern=_NAME)], _Volume],
        BeforeValidator(_named_tables),
    ] = Field(default_factory=dict)


class _Dependency(_Table):
    """What is waited for before a service starts."""

    model_config = ConfigDict(extra="ignore")

    condition: Annotated[
        Literal["service_started", "service_healthy", "service_completed_successfully"],
        BeforeValidator(_text),
    ] = "service_started"


class _Attachment(_Table):
    """A network of a service."""

    aliases: Annotated[tuple[_Name, ...], _List] = ()
    """Its further names there."""
    priority: Any = None


class _Limits(_Table):
    """The table `limits` of `deploy: resources:`."""

    cpus: _Cores = 0.0
    memory: _Memory = ""
    pids: Any = None
    devices: _Devices = None
    generic_resources: _Devices = None


class _Reservations(_Table):
    """The table `reservations`. Nothing is reserved here."""

    cpus: Any = None
    memory: Any = None
    pids: Any = None
    devices: _Devices = None
    generic_resources: _Devices = None


class _Resources(_Table):
    model_config = ConfigDict(extra="ignore")

    limits: _Limits = _Limits()
    reservations: _Reservations = _Reservations()


class _Deploy(_Table):
    """How a service is deployed. Its limits count, and there is one container of it."""

    resources: _Resources = _Resources()
    replicas: Literal[1] = 1
    restart_policy: Any = None
    labels: Any = None
    mode: Any = None


class ComposeBuild(_Table):
    """How an image is built."""

    folder: Path
    """It holds what is copied into the image."""
    dockerfile: str = "Dockerfile"
    """Its path in that folder."""
    arguments: Variables = Field(default_factory=dict)
    target: _Name = ""
    """The stage to build; empty for the last one."""


def _build(value: object, info: ValidationInfo) -> object:
    """Return the folder from which an image is built."""
    place: _Place | None = info.context
    if place is None:
        return value
    table = {"context": value} if isinstance(value, str) else value
    if not isinstance(table, dict):
        msg = "has a build that is neither a folder nor a table"
        raise _Refusal(msg)
    for key in table:
        if key not in ("args", "context", "dockerfile", "labels", "tags", "target"):
            msg = f"cannot be built: its build has {key}"
            raise _Refusal(msg)
    top = place.reader.build_top
    files = place.reader.files
    try:
        folder = files.resolve(
            place.path.parent / _text(table.get("context", "."), info)
        )
        is_outside = not folder.is_relative_to(top)
    except SetFileError:
        is_outside = True
    if is_outside:
        msg = "is built from outside of the folder of the task"
        raise _Refusal(msg)
    dockerfile = _text(table.get("dockerfile"), info) or "Dockerfile"
    if not files.resolve(folder / dockerfile).is_relative_to(top):
        msg = "is built by a Dockerfile outside of the task"
        raise _Refusal(msg)
    arguments = _pairs(table.get("args"))
    return {
        "folder": folder,
        "dockerfile": dockerfile,
        "arguments": {name: place.reader.filled_in(text) for name, text in arguments},
        "target": table.get("target"),
    }


class ComposeService(_Table):
    """A container: its image, variables, limits and first process.

    Each field is a key of a compose file: it is followed, or the user is told of it. A value that would
    reach this machine is refused by its field's type, and so is every other key by its name.
    """

    model_config = ConfigDict(populate_by_name=True)

    name: str = "main"
    has_network: bool = True
    """False if it reaches nothing else: `network_mode: none`, or internal networks alone."""
    file_notes: tuple[str, ...] = ()
    """What the user is told of its file."""
    is_default: Any = Field(default=False, validation_alias="x-default")
    """True if the file marks it as that of the agent."""

    # What is followed.
    image: Annotated[ImageName, BeforeValidator(_text)] = ""
    """Empty if the image is built, or if the task names it elsewhere."""
    build: Annotated[ComposeBuild, BeforeValidator(_build)] | None = None
    """None if the image is not built."""
    variables: Annotated[Variables, BeforeValidator(_variables)] = Field(
        default_factory=dict, validation_alias="environment"
    )
    env_file: Annotated[Variables, BeforeValidator(_file_variables)] = Field(
        default_factory=dict
    )
    """The variables of these files. Those of `environment` go before them."""
    workdir: Annotated[AbsolutePath, BeforeValidator(_text)] = Field(
        default="", validation_alias="working_dir"
    )
    user: Annotated[UserName, BeforeValidator(_text)] = ""
    memory: _Memory = Field(default="", validation_alias="mem_limit")
    cpus: _Cores = 0.0
    entrypoint: _Words = None
    """None for the image's."""
    command: _Words = None
    healthcheck: Annotated[Healthcheck | None, BeforeValidator(_readiness)] = None
    after: Annotated[dict[str, _Dependency], BeforeValidator(_named_tables)] = Field(
        default_factory=dict, validation_alias="depends_on"
    )
    """Services that start before it."""
    network_mode: Annotated[_Text, Field(pattern=_NETWORK_MODE)] = ""
    networks: Annotated[dict[_Name, _Attachment], BeforeValidator(_named_tables)] = (
        Field(default_factory=dict)
    )
    """The networks by which it reaches other services."""
    volumes: Annotated[tuple[tuple[str, _Path], ...], BeforeValidator(_mounts)] = ()
    """Named volumes of the trial with their paths: `("data", "/var/lib/data")`."""
    tmpfs: Annotated[
        tuple[Annotated[_Path, BeforeValidator(_memory_folder)], ...], _List
    ] = ()
    container_name: _Name = ""
    hostname: _Name = ""
    shm_size: _Memory = ""
    read_only: Any = False
    cap_drop: Annotated[
        tuple[Annotated[_Text, Field(pattern=_CAPABILITY)], ...], _List
    ] = ()
    security_opt: Annotated[
        tuple[Annotated[_NoNewPrivileges, BeforeValidator(_text)], ...], _List
    ] = ()
    extra_hosts: Annotated[
        tuple[Annotated[_Text, Field(pattern=_HOST)], ...], BeforeValidator(_hosts)
    ] = ()
    restart: _Text = ""
    runtime: Annotated[Literal["", "runc", "crun"], BeforeValidator(_text)] = ""
    scale: Literal[1] = 1
    deploy: _Deploy = _Deploy()

    # What the user is told.
    cap_add: Annotated[
        tuple[Annotated[_HarmlessCapability, BeforeValidator(_without_prefix)], ...],
        _List,
    ] = ()
    cpuset: Annotated[float, BeforeValidator(_listed_cores)] = 0.0
    """How many cores it names. It gets as many, and not certain ones."""
    ports: Any = None
    ulimits: Any = None

    @property
    def joined_service(self) -> str:
        """The service whose network it shares (`network_mode: service:NAME`); mostly empty."""
        return self.network_mode.partition(":")[2]

    @property
    def aliases(self) -> list[str]:
        """Its further names in its networks."""
        names = [name for network in self.networks.values() for name in network.aliases]
        return [name for name in (*names, self.container_name, self.hostname) if name]

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
        if self.restart not in ("", "no", "False"):
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
        if self.ports:
            yield "its ports are not published on this machine"
        if self.ulimits:
            yield "its ulimits are those of this machine"
        if self.cpuset:
            yield f"it gets {self.cpuset:g} cores, and not certain ones"
        yield from self.file_notes

    def resolved(self, internal: Mapping[str, bool]) -> ComposeService:
        """Return the same service with what follows from several keys.

        `internal` says of each declared network whether it reaches its own services alone.
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
        limits = self.deploy.resources.limits
        return self.model_copy(
            update={
                "networks": networks,
                "has_network": reaches_outside,
                "variables": self.env_file | self.variables,
                "cpus": self.cpus or limits.cpus or self.cpuset,
                "memory": self.memory or limits.memory,
            }
        )


_KEYS: Final = {
    field.validation_alias or name
    for name, field in ComposeService.model_fields.items()
} - {"name", "has_network", "file_notes"}
"""The keys of a service that a file may have, beside those that make no difference here."""


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
            update = {"has_network": has_network}
            services[service.name] = service.model_copy(update=update)
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
    names = [*service.after]
    if service.joined_service:
        names.append(service.joined_service)
    return names


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
        try:
            services[name] = service.resolved(reader.internal)
        except _Refusal as error:
            msg = f"{path.name}: its service {name} {error}"
            raise ComposeError(msg) from error
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
            notes = (*services[first].file_notes, note)
            services[first] = services[first].model_copy(update={"file_notes": notes})
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
        file = self._file(path)
        services: dict[str, ComposeService] = {}
        for included in file.include:
            for name in included.path:
                services |= self.services_of(path.parent / name)

        for name, network in file.networks.items():
            self.internal[name] = network.internal is True
        for name, table in file.services.items():
            whole = f"{path.name}: its service {name}"
            if _SERVICE_NAME.fullmatch(str(name)) is None:
                msg = f"{path.name}: {name!r} is no name of a service"
                raise ComposeError(msg)
            if not isinstance(table, dict):
                msg = f"{whole} is not a table"
                raise ComposeError(msg)
            if table.get("profiles"):  # Such a service is started by hand alone.
                continue
            if name in services:
                msg = f"{whole} is in an included file, too"
                raise ComposeError(msg)
            read = {}
            for key, value in table.items():
                if key == "image" and "build" in table:
                    continue  # It names what is built.
                if key in _KEYS:
                    read[key] = value
                elif key not in _IGNORED_KEYS and not str(key).startswith("x-"):
                    msg = f"{whole} has {key}"
                    raise ComposeError(msg)
            stands = _Place(self, path, file.volumes)
            try:
                service = ComposeService.model_validate(read, context=stands)
            except ValidationError as error:
                msg = whole + _fault(error)
                raise ComposeError(msg) from error
            services[str(name)] = service.model_copy(update={"name": str(name)})
        return services

    def _file(self, path: Path) -> _File:
        """Return the tables of a file. Raises `ComposeError`."""
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
        tables = {key: data[key] for key in data if not str(key).startswith("x-")}
        try:
            return _File.model_validate(tables)
        except ValidationError as error:
            msg = path.name + _fault(error)
            raise ComposeError(msg) from error

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
                msg = f"has the variable {name} of this machine"
                raise _Refusal(msg)
            return str(match[3])

        filled = _VARIABLE.sub(value_of, text)
        return str(filled)


def _fault(error: ValidationError) -> str:
    """Return the first fault, as it goes on from `compose.yaml` or `its service main`: ` has scale 2`."""
    first = error.errors(include_url=False)[0]
    cause = first.get("ctx", {}).get("error")
    if isinstance(cause, _Refusal):
        return f" {cause}"
    if first["type"] == "extra_forbidden":
        *places, key = map(str, first["loc"])
        place = f" in {'.'.join(places)}" if places else ""
        return f" has {key}{place}"
    key = ".".join(str(part) for part in first["loc"])
    if first["type"] == "model_type":
        return f" has {str(first['input'])[:60]!r} as {key}, which is no table"
    if first["type"] in ("literal_error", "string_pattern_mismatch"):
        return f" has {str(first['input'])[:60]!r} as {key}: {first['msg']}"
    return f": {fault_of(error)}"
