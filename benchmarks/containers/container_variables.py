"""The variables of containers: a task's come by a file, and the user's proxies stay outside.

    with variable_flags({"REGION": "eu"}) as flags:
        program.run("run", *flags, image)  # --env-file=/tmp/controlplane-variables-1x2y

Arguments can be seen by all users of a machine. The environment of podman or docker is the
user's own, and they obey some of its variables (`LD_PRELOAD`, `CONTAINERS_CONF`): a task must not
set them. A file that a killed process has left is removed by the next one.
"""

from __future__ import annotations

import fcntl
import os
import stat
import tempfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import re2

from controlplane.benchmarks.containers.runtime_program import ContainerError
from controlplane.benchmarks.containers.task_values import check_variables

# Variables of this machine in the variables of a task: `zone-${REGION:-eu}`.
#
# A task may want a key or a region of the machine that it runs on. It gets only the variables
# that the user allows, because others may be secret; without one, the default that the
# task names is taken.

VARIABLE: Final = re2.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}")
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
        filled[name] = VARIABLE.sub(value_of, value)
    return filled


def missing_host_variables(
    values: Mapping[str, str], allowed: Mapping[str, str]
) -> list[str]:
    """Return the names of this machine's variables that a task needs but may not have.

    `["API_KEY"]` for the value `${API_KEY}`, unless it is allowed.
    """
    missing = []
    for value in values.values():
        for match in VARIABLE.finditer(value):
            name = match[1]
            has_default = match[2] is not None
            if name not in allowed and not has_default:
                missing.append(name)
    return missing


_FILE_PREFIX: Final = "controlplane-variables-"
_UPPER_PROXIES: Final = (
    "ALL_PROXY",
    "FTP_PROXY",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
)
PROXIES: Final = (*_UPPER_PROXIES, *(name.lower() for name in _UPPER_PROXIES))
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
            _write_all(descriptor, "".join(lines).encode())
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
    return [f"--env={name}=" for name in PROXIES if name not in variables]


def build_flags_of_proxies(runtime: str, allowed: Collection[str]) -> list[str]:
    """Return the arguments by which a build has only these of the user's proxies.

    Podman and docker take the value of `--build-arg=NAME` from their environment.
    """
    flags = ["--http-proxy=false"] if runtime == "podman" else []
    for name in PROXIES:
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


def _write_all(descriptor: int, content: bytes) -> None:
    """Write bytes to a file, in several pieces if need be."""
    while content:
        content = content[os.write(descriptor, content) :]
