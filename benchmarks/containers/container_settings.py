"""The user's options for containers, and their variables: a task's come by a file.

    with variable_flags({"REGION": "eu"}) as flags:
        program.run("run", *flags, image)  # --env-file=/tmp/controlplane-variables-1x2y

Arguments can be seen by all users of a machine. The environment of podman or docker is the
user's own, and they obey some of its variables (`LD_PRELOAD`, `CONTAINERS_CONF`): a task must not
set them, and the user's proxies stay outside. A file that a killed process has left is removed by
the next one.
"""

from __future__ import annotations

import fcntl
import math
import os
import stat
import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final, TypeAlias

import re2
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
)

from controlplane.benchmark import BenchmarkError, BenchmarkOption
from controlplane.sandbox.interface import bounds, error_codes

# The values of a task that reach podman or docker, each checked against its own grammar.
#
# A stranger writes the task, and podman and docker run on this machine as the user. So no value
# may be read as an option (`--privileged`), as a pattern (`*` as the name of a variable stands for
# all variables of the user), or as a file of this machine (`oci:/home/me` as an image). A value
# that does not fit its grammar is refused by its name, before it is used for anything.

_VARIABLE_NAME: Final = re2.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_MAX_NAME_CHARS: Final = 200
_MAX_VALUE_BYTES: Final = 60_000
"""The most bytes of a variable's value. Podman and docker read lines of at most 65,536."""
_PART_OF_NAME: Final = r"[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*"
IMAGE: Final = re2.compile(
    r"(?:[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?(?::[0-9]{1,5})?/)?"  # ghcr.io/, or localhost:5000/
    rf"{_PART_OF_NAME}(?:/{_PART_OF_NAME})*"  # library/python
    r"(?::[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?"  # :3.13-slim
    r"(?:@sha256:[0-9a-f]{64})?"
)
"""The name of an image in a registry: `ghcr.io/owner/image:tag`."""
_MAX_CHARS: Final = 400
"""The most characters of an image, a user or a size."""
FILE_TRANSPORTS: Final = frozenset(
    {
        "containers-storage",
        "dir",
        "docker-archive",
        "docker-daemon",
        "oci",
        "oci-archive",
        "ostree",
        "sif",
        "tarball",
    }
)
"""What podman reads before a colon as the kind of a file or folder of this machine: `oci:/tmp/x`."""
_USER_PART: Final = r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}"
USER: Final = re2.compile(rf"{_USER_PART}(?::{_USER_PART})?")
"""A name or an id, which may be followed by those of a group: `agent`, `1000:1000`."""
_MEMORY: Final = re2.compile(r"[0-9]{1,15}(?:\.[0-9]{1,9})? ?(?:[kKmMgGtT][iI]?)?[bB]?")
"""A size in the notation of podman and docker: `512m`, `1.5 GB`."""
_MAX_CPUS: Final = 100_000
_MAX_PATH_CHARS: Final = 4_000
_MAX_COMMAND_BYTES: Final = 100_000
"""The kernel takes arguments of at most 131,072 bytes."""
_MAX_SHOWN_CHARS: Final = 60


class ContainerError(Exception):
    """The container runtime failed. The message has the last lines of its output."""


class TaskValueError(ContainerError):
    """A value of a task is refused. The message names it, and says what it may be."""


def check_image(image: str) -> None:
    """Raise `TaskValueError` unless this is an image's name: `python:3.13`."""
    _check(IMAGE, image, "name of an image, such as python:3.13")
    if image.partition(":")[0] in FILE_TRANSPORTS:
        msg = f"{_shown(image)} names files of this machine, not an image of a registry"
        raise TaskValueError(msg)


def check_user(user: str) -> None:
    """Raise `TaskValueError` unless this is a user: `agent`, `1000:1000`, or empty."""
    if user:
        _check(USER, user, "user: a name or an id, perhaps with :GROUP")


def check_memory(memory: str) -> None:
    """Raise `TaskValueError` unless this is a size: `512m`, `2g`, or empty."""
    if memory:
        _check(_MEMORY, memory, "size of memory such as 512m or 2g")


def _check(grammar: Any, text: str, kind: str) -> None:
    """Raise `TaskValueError` for a text that does not fit the grammar of its kind."""
    if len(text) > _MAX_CHARS or grammar.fullmatch(text) is None:
        msg = f"{_shown(text)} is no {kind}"
        raise TaskValueError(msg)


def check_workdir(path: str) -> None:
    """Raise `TaskValueError` unless this is an absolute path in a container, or empty."""
    if not path:
        return
    if (
        not path.startswith("/")
        or len(path) > _MAX_PATH_CHARS
        or not _is_one_line(path)
    ):
        msg = f"{_shown(path)} is no absolute path in one line"
        raise TaskValueError(msg)


def check_cpus(cpus: float) -> None:
    """Raise `TaskValueError` unless this is a number of cores; 0 for no limit."""
    if not math.isfinite(cpus) or not 0 <= cpus <= _MAX_CPUS:
        msg = f"{cpus:g} is no number of cores"
        raise TaskValueError(msg)


def check_command(command: str) -> None:
    """Raise `TaskValueError` for a command that no program could be given."""
    is_short = len(command.encode("utf-8", "replace")) <= _MAX_COMMAND_BYTES
    if not is_short or "\0" in command or not _is_encodable(command):
        msg = (
            f"the command {_shown(command)} has a NUL character, half of a surrogate pair, "
            f"or more than {_MAX_COMMAND_BYTES:,} bytes"
        )
        raise TaskValueError(msg)


def check_variable_names(names: Iterable[str]) -> None:
    """Raise `TaskValueError` unless these are names of variables: `REGION`."""
    for name in names:
        if len(name) > _MAX_NAME_CHARS or _VARIABLE_NAME.fullmatch(name) is None:
            msg = f"{_shown(name)} is no name of a variable: letters, digits and _"
            raise TaskValueError(msg)


def check_variables(variables: Mapping[str, str]) -> None:
    """Raise `TaskValueError` unless each variable is a line `NAME=VALUE`.

    The message names the variable and never has its value, which may be secret.
    """
    check_variable_names(variables)
    for name, value in variables.items():
        if "\n" in value or "\r" in value:
            msg = (
                f"the variable {name} has several lines, and podman and docker take one: "
                "give it in one line, for instance as base64"
            )
            raise TaskValueError(msg)
        if "\0" in value or not _is_encodable(value):
            msg = f"the variable {name} has a NUL character or half of a surrogate pair"
            raise TaskValueError(msg)
        if len(value.encode()) > _MAX_VALUE_BYTES:
            msg = f"the variable {name} has more than {_MAX_VALUE_BYTES:,} bytes"
            raise TaskValueError(msg)


# The same checks as types of fields: pydantic refuses a document whose value does not pass its check.


def _checked(check: Callable[[Any], None]) -> AfterValidator:
    """Return the validator of a type whose values pass a check; an empty one stands for none."""

    def checked(value: Any) -> Any:
        try:
            if value:
                check(value)
        except TaskValueError as error:
            raise ValueError(str(error)) from error
        return value

    return AfterValidator(checked)


def _text_of_id(value: Any) -> Any:
    """Return the id of a user as a text. Anything else stays as it is."""
    return str(value) if type(value) is int else value


ImageName: TypeAlias = Annotated[str, _checked(check_image)]
UserName: TypeAlias = Annotated[str, BeforeValidator(_text_of_id), _checked(check_user)]
"""A name, or an id, which may be a number."""
AbsolutePath: TypeAlias = Annotated[str, _checked(check_workdir)]
MemorySize: TypeAlias = Annotated[str, _checked(check_memory)]
CoreCount: TypeAlias = Annotated[float, _checked(check_cpus)]
Command: TypeAlias = Annotated[str, _checked(check_command)]
Variables: TypeAlias = Annotated[dict[str, str], _checked(check_variables)]
NamedValues: TypeAlias = Annotated[dict[str, str], _checked(check_variable_names)]
"""Variables whose values do not reach podman or docker."""


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


def fault_of(error: ValidationError) -> str:
    """Return the first fault of a document in one line: `agent.user: 'a b' is no user`."""
    fault = error.errors(include_url=False)[0]
    key = ".".join(str(part) for part in fault["loc"])
    return f"{key}: {fault['msg'].removeprefix('Value error, ')}"


def _is_one_line(text: str) -> bool:
    """Return True for a text without control characters that UTF-8 can encode."""
    has_control = any(character < " " or character == "\x7f" for character in text)
    return not has_control and _is_encodable(text)


def _is_encodable(text: str) -> bool:
    """Return False for a text with half of a surrogate pair."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _shown(text: str) -> str:
    """Return the start of a value for a message, in ASCII: `'--privileged'`."""
    if len(text) > _MAX_SHOWN_CHARS:
        return ascii(text[:_MAX_SHOWN_CHARS]) + "..."
    return ascii(text)


# Variables of this machine in the variables of a task: `zone-${REGION:-eu}`.
#
# A task may want a key or a region of the machine that it runs on. It gets only the variables
# that the user allows, because others may be secret; without one, the default that the
# task names is taken.

_VARIABLE: Final = re2.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}")
"""A variable of this machine in a value: `${API_KEY}`, or `${REGION:-eu}` with a default.

The groups are its name and its default.
"""


def with_host_variables(
    values: Mapping[str, str], allowed: Mapping[str, str]
) -> dict[str, str]:
    """Return a task's variables, in which variables of this machine are filled in.

    With `allowed={"REGION": "us"}`, the value `zone-${REGION:-eu}` becomes `zone-us`. If the
    user does not allow REGION, it becomes `zone-eu`, with the default that the task names.
    A variable that is neither allowed nor has a default is left out.
    """

    def value_of(match: Any) -> str:
        """Return the value that takes the place of `${NAME}`."""
        default = str(match[2] or "")
        return allowed.get(match[1], default)

    filled = {}
    for name, value in values.items():
        filled[name] = _VARIABLE.sub(value_of, value)
    return filled


def missing_host_variables(
    values: Mapping[str, str], allowed: Mapping[str, str]
) -> list[str]:
    """Return the names of this machine's variables that a task needs but may not have.

    `["API_KEY"]` for the value `${API_KEY}`, unless it is allowed.
    """
    matches = [
        match for value in values.values() for match in _VARIABLE.finditer(value)
    ]
    return [
        str(match[1])
        for match in matches
        if match[2] is None and match[1] not in allowed
    ]


_FILE_PREFIX: Final = "controlplane-variables-"
_UPPER_PROXIES: Final = (
    "ALL_PROXY",
    "FTP_PROXY",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
)
_PROXIES: Final = (*_UPPER_PROXIES, *(name.lower() for name in _UPPER_PROXIES))
"""The variables that name a user's proxies. An address may have a password."""


@contextmanager
def variable_flags(variables: Mapping[str, str]) -> Iterator[Sequence[str]]:
    """Yield the arguments by which podman and docker read these variables; none if there are none.

    The file exists until the context ends. Raises `TaskValueError` for a variable that is no
    line `NAME=VALUE`, and `ContainerError` if the file cannot be written.
    """
    if not variables:
        yield ()
        return
    check_variables(variables)
    # Each line has a name and a sign of equality. Podman would take a line `NAME*` as a pattern,
    # and a line `NAME` as a variable of the user.
    lines = [f"{name}={value}\n" for name, value in variables.items()]
    descriptor = -1
    path = Path()
    try:
        try:
            descriptor, path = _locked_file()
            with os.fdopen(descriptor, "wb", closefd=False) as file:
                file.write("".join(lines).encode())
        except OSError as error:
            msg = (
                f"the file with the variables of a container cannot be written: {error}"
            )
            raise ContainerError(msg) from error
        yield (f"--env-file={path}",)
    finally:
        if descriptor >= 0:
            path.unlink(missing_ok=True)
            os.close(descriptor)


def run_flags_of_proxies(runtime: str, variables: Mapping[str, str]) -> list[str]:
    """Return the arguments that keep the user's proxies out of a new container.

    Podman passes those of its environment, and docker those of its configuration. `variables`
    are the container's own: docker's proxies are emptied, but not those that are set there.
    """
    if runtime == "podman":
        return ["--http-proxy=false"]
    return [f"--env={name}=" for name in _PROXIES if name not in variables]


def build_flags_of_proxies(runtime: str, allowed: Collection[str]) -> list[str]:
    """Return the arguments by which a build has only these of the user's proxies.

    Podman and docker take the value of `--build-arg=NAME` from their environment.
    """
    flags = ["--http-proxy=false"] if runtime == "podman" else []
    for name in _PROXIES:
        if name in allowed:
            flags.append(f"--build-arg={name}")
        elif runtime != "podman":
            flags.append(f"--build-arg={name}=")
    return flags


def remove_abandoned_files() -> None:
    """Remove the files that killed processes of this user have left."""
    for path in Path(tempfile.gettempdir()).glob(f"{_FILE_PREFIX}*"):
        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        except OSError:  # It is gone, somebody else's, or a link.
            continue
        try:
            status = os.fstat(descriptor)
            is_own = stat.S_ISREG(status.st_mode) and status.st_uid == os.geteuid()
            if is_own and _lock(descriptor):
                path.unlink(missing_ok=True)
        except OSError:  # The folder is another user's, or cannot be written to.
            continue
        finally:
            os.close(descriptor)


def _locked_file() -> tuple[int, Path]:
    """Create a file with the mode 600, locked as long as its descriptor is open in this process."""
    while True:
        descriptor, name = tempfile.mkstemp(prefix=_FILE_PREFIX)
        path = Path(name)
        # Between its creation and its lock, another process may have taken it for abandoned.
        if _lock(descriptor) and os.fstat(descriptor).st_nlink > 0:
            return descriptor, path
        os.close(descriptor)
        path.unlink(missing_ok=True)


def _lock(descriptor: int) -> bool:
    """Lock a file; return False if another process has locked it."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


# The `--set` options of all benchmarks with containers: runtime, network and limits.
#
# For example, `--set network=task --set memory=4g` gives a container a network if its task
# asks for one, and 4 GB of memory whatever the task says.

RUNTIMES: Final = ("podman", "docker")
_NETWORKS: Final = ("off", "task")
_YES_OR_NO: Final = ("true", "false")
_DEFAULT_PIDS: Final = 512
"""Processes and threads of one container: enough for a parallel build, too few to stop a host."""
OPTIONS: Final = (
    BenchmarkOption(
        "runtime", "the container runtime; the first one on PATH unless set", RUNTIMES
    ),
    BenchmarkOption(
        "network",
        "the network of builds, agents and verifiers: off, or as the task says",
        _NETWORKS,
    ),
    BenchmarkOption(
        "build_network", "the network of builds, if another than `network`", _NETWORKS
    ),
    BenchmarkOption(
        "agent_network", "the network of agents, if another than `network`", _NETWORKS
    ),
    BenchmarkOption(
        "verifier_network",
        "the network of verifiers, if another than `network`",
        _NETWORKS,
    ),
    BenchmarkOption("pull", "pull images that are not on this machine", _YES_OR_NO),
    BenchmarkOption(
        "build_anew", "build images again, although nothing has changed", _YES_OR_NO
    ),
    BenchmarkOption(
        "env", "variables of this machine that tasks may have, as NAME,NAME"
    ),
    BenchmarkOption(
        "memory", "memory of a container, as 2g; that of the task unless set"
    ),
    BenchmarkOption("cpus", "cores of a container; those of the task unless set"),
    BenchmarkOption(
        "pids_limit", f"processes of a container; {_DEFAULT_PIDS} unless set"
    ),
    BenchmarkOption(
        "storage", "disk of a container, as 10g, if the storage driver can limit it"
    ),
)


@dataclass(frozen=True, slots=True)
class ContainerSettings:
    """The user's options for containers."""

    runtime: str
    """`podman` or `docker`; empty for the first one on PATH."""
    build_network: bool
    """True if the build of an image gets a network."""
    agent_network: bool
    """True if the agent gets a network when its task asks for one."""
    verifier_network: bool
    """True if the verifier gets a network when its task asks for one."""
    may_pull: bool
    """True if an image that is not on this machine may be pulled."""
    builds_anew: bool
    """True if each image is built again by this run, without what earlier builds have left."""
    variables: Mapping[str, str]
    """The variables of this machine that tasks may use. A proxy among them, such as
    `HTTPS_PROXY`, is a variable of each container with a network, and of builds with one."""
    memory: str
    """Memory of a container, such as `2g`; empty for that of the task."""
    cpus: float
    """Cores of a container; 0 for those of the task."""
    pids: int
    """Processes and threads of a container."""
    storage: str
    """Disk of a container, such as `10g`; empty for no limit. Only some storage drivers can limit it."""

    @classmethod
    def parse(
        cls, options: Mapping[str, str], environment: Mapping[str, str]
    ) -> ContainerSettings:
        """Return the settings for `--set` options: `{"network": "task", "env": "REGION"}`.

        `environment` has the variables of this machine. Raises `BenchmarkError`.
        """
        variables = _allowed_variables(options.get("env", ""), environment)
        memory = options.get("memory", "")
        try:
            cpus = float(options.get("cpus", "0"))
            pids = int(options.get("pids_limit", str(_DEFAULT_PIDS)))
        except ValueError as error:
            msg = f"cpus and pids_limit are numbers: {error}"
            raise BenchmarkError(error_codes.INVALID_ARGUMENT, msg) from error
        try:
            check_variables(variables)
            check_memory(memory)
            check_cpus(cpus)
        except TaskValueError as error:
            raise BenchmarkError(error_codes.INVALID_ARGUMENT, str(error)) from error

        # "off" for no network, or "task" for one if the task asks for it. It applies to what
        # has no option of its own.
        network = options.get("network", "off")
        return cls(
            runtime=options.get("runtime", ""),
            build_network=options.get("build_network", network) == "task",
            agent_network=options.get("agent_network", network) == "task",
            verifier_network=options.get("verifier_network", network) == "task",
            may_pull=options.get("pull") == "true",
            builds_anew=options.get("build_anew") == "true",
            variables=variables,
            memory=memory,
            cpus=cpus,
            pids=pids,
            storage=options.get("storage", ""),
        )

    @property
    def build_proxies(self) -> list[str]:
        """The names of the user's proxies that builds may have: those that the user allows."""
        if not self.build_network:
            return []
        return [name for name in _PROXIES if name in self.variables]

    def container_variables(
        self, values: Mapping[str, str], *, has_network: bool
    ) -> dict[str, str]:
        """Return the variables of a new container: a task's, filled in, and the allowed proxies.

        A container without a network gets no proxy.
        """
        proxies = {}
        if has_network:
            proxies = {
                name: value
                for name, value in self.variables.items()
                if name in _PROXIES
            }
        return proxies | self.filled_in(values)

    def filled_in(self, values: Mapping[str, str]) -> dict[str, str]:
        """Return variables with those of this machine filled in: `zone-${REGION}` -> `zone-us`."""
        return with_host_variables(values, self.variables)

    def limit_flags(self, task_memory: str, task_cpus: float) -> list[str]:
        """Return the words that limit a container: by what the user has set, or else the task.

        Raises `TaskValueError`.
        """
        memory = self.memory or task_memory
        cpus = self.cpus or task_cpus
        check_memory(memory)
        check_cpus(cpus)
        # The limit of processes also applies to root; `ulimit` would not.
        flags = [f"--pids-limit={self.pids}"]
        if memory:
            flags.append(f"--memory={memory}")
        if cpus:
            flags.append(f"--cpus={cpus:g}")
        if self.storage:
            flags.append(f"--storage-opt=size={self.storage}")
        return flags


def _allowed_variables(names: str, environment: Mapping[str, str]) -> dict[str, str]:
    """Return the variables of this machine that are listed: `API_KEY, REGION`.

    Raises `BenchmarkError` if one is not set.
    """
    listed = [name.strip() for name in names.split(",") if name.strip()]
    for name in listed:
        if name not in environment:
            msg = f"env: the variable {name} is not set"
            raise BenchmarkError(error_codes.INVALID_ARGUMENT, msg)
    return {name: environment[name] for name in listed}
