"""The values of a task that reach podman or docker, each checked against its own grammar.

A stranger writes the task, and podman and docker run on this machine as the user. So no value
may be read as an option (`--privileged`), as a pattern (`*` as the name of a variable stands for
all variables of the user), or as a file of this machine (`oci:/home/me` as an image). A value
that does not fit its grammar is refused by its name, before it is used for anything.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Annotated, Any, Final, TypeAlias

import re2
from pydantic import AfterValidator, BeforeValidator, ValidationError

from controlplane.benchmarks.containers.runtime_program import ContainerError

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
