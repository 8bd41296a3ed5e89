"""A sample of Inspect that can be played: its files, and its containers.

The files and the setup script of a sample are copied into its container. Containers have names such as
`controlplane-inspect-812-1f05`, with the process that started them. So the containers of a killed process
are found and removed later.
"""

from __future__ import annotations

import base64
import os
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from controlplane import BenchmarkContext
from controlplane.benchmark import MachineFinding
from controlplane.benchmarks.containers.compose_file import ComposeProject
from controlplane.benchmarks.containers.container import CommandInterrupted
from controlplane.benchmarks.containers.container_runtime import (
    OWNER_LABEL,
    SAMPLE_PREFIX,
    ContainerRuntime,
    TrialServices,
    container_finding,
    find_runtime,
    owner,
    remove_leftovers,
)
from controlplane.benchmarks.containers.container_settings import (
    ContainerError,
    ContainerSettings,
)
from controlplane.benchmarks.containers.set_files import SetFileError, SetFiles

if TYPE_CHECKING:
    from inspect_ai import Task
    from inspect_ai.dataset import Sample

# The files of a sample.
#
# A sample gives the content of a file as a text, as an address, or as the path of a file or a folder:
# `files={"bug.py": "print(1/0)", "data": "tests/data"}`. Samples often come from a data set that
# somebody else made, so a path may lead nowhere but into the folder of the task, or into a
# further folder that the user names (`--set files=DIR`), and an address is read only if the
# network is on.

MOST_SAMPLE_BYTES: Final = 200_000_000
"""The most bytes of all files of one sample. They are in memory until they are copied."""
_MOST_PATH_CHARS: Final = 4_096
"""A longer text is no path on Linux."""
_REMEDY: Final = "copy it below the task's folder, or name its folder: --set files=DIR"


@dataclass(frozen=True, slots=True)
class SampleFiles:
    """Where the files of a task's samples may be."""

    task_folder: Path
    """Relative paths start here."""
    further_folder: Path | None = None
    """The folder of the option `files`; None without it."""
    may_download: bool = False
    """True if a file's content may be at an address."""

    def set_of(self, path: Path) -> SetFiles:
        """Return the folder's files to which a path belongs. Raises `SetFileError` if none."""
        files = SetFiles.of(self.task_folder)
        try:
            files.resolve(path)
        except SetFileError as error:
            if self.further_folder is not None:
                files = SetFiles.of(self.further_folder)
                files.resolve(path)
                return files
            reason = str(error).partition("; ")[0]
            msg = f"{reason}; {_REMEDY}"
            raise SetFileError(msg) from None
        return files

    def check(self, texts: Mapping[str, str]) -> None:
        """Raise `SetFileError` if a file may not be read. Nothing is read for this."""
        for name, text in texts.items():
            path = self._path_of(text)
            if path is None:
                self._check_address(name, text)
            else:
                self.set_of(path)

    async def contents(self, texts: Mapping[str, str]) -> dict[str, bytes]:
        """Return the contents of files by their names in the container.

        A folder's files have names below that of the folder. Raises `SetFileError`.
        """
        contents: dict[str, bytes] = {}
        unread_bytes = MOST_SAMPLE_BYTES
        for name, text in texts.items():
            added: dict[str, bytes] = {}
            path = self._path_of(text)
            if path is None:
                self._check_address(name, text)
                added[name] = await _content_of_text(text)
            elif path.is_dir():
                for name_below, content in self.set_of(path).contents(
                    path, unread_bytes
                ):
                    added[f"{name}/{name_below}"] = content
            else:
                added[name] = self.set_of(path).read(path, unread_bytes) or b""
            unread_bytes -= sum(map(len, added.values()))
            if unread_bytes < 0:
                msg = f"{name}: with it, a sample's files have more than {MOST_SAMPLE_BYTES:,} bytes"
                raise SetFileError(msg)
            contents |= added
        return contents

    def _path_of(self, text: str) -> Path | None:
        """Return the path that a text is; None if there is nothing at such a path.

        Then the text is an address, or the content itself.
        """
        text = text.removeprefix("file://")
        if not text or "\n" in text or len(text) > _MOST_PATH_CHARS:
            return None
        path = self.task_folder / text
        return path if os.path.exists(path) else None  # noqa: PTH110 - False for a NUL

    def _check_address(self, name: str, text: str) -> None:
        """Raise `SetFileError` if a text is an address that may not be read."""
        from inspect_ai._util.url import is_http_url

        if is_http_url(text):
            if not self.may_download:
                msg = f"{name}: it is at an address, which --set network=task allows"
                raise SetFileError(msg)
            return
        scheme = _scheme_of(text)
        if scheme:
            msg = f"{name}: files at addresses with {scheme}:// are not read here"
            raise SetFileError(msg)


def _scheme_of(text: str) -> str:
    """Return the scheme of an address that Inspect would read: `s3`; empty for another text."""
    from fsspec.registry import known_implementations

    start, separator, _ = text.partition("://")
    # Schemes can be chained: `simplecache::s3://bucket/file`.
    scheme = start.rpartition("::")[2]
    if separator and scheme in known_implementations and "\n" not in text:
        return scheme
    return ""


async def _content_of_text(text: str) -> bytes:
    """Return the content that a text is, or that is at its address."""
    from inspect_ai._eval.task.sandbox import read_sandboxenv_file
    from inspect_ai._util.url import data_uri_to_base64, is_data_uri, is_http_url

    if is_data_uri(text):
        return base64.b64decode(data_uri_to_base64(text))
    if is_http_url(text):
        content: bytes = await read_sandboxenv_file(text)
        return content
    return text.encode("utf-8", "replace")


# The containers of samples.

_BUILD_TIMEOUT_S: Final = 1_800.0
"""Inspect has no limit for builds. Half an hour is enough for the known tasks."""


class SampleContainers:
    """The containers of a run's samples. Created once for each run; called from many threads.

    Many tasks have no sample with a container, and are played on a machine without podman and docker:
    these are looked for by `require`, which is called for each sample that needs containers. Each
    thread adds and removes only names of its own containers, which is safe in a dict.
    """

    def __init__(self, settings: ContainerSettings, context: BenchmarkContext) -> None:
        self.settings = settings
        self._context = context
        self._runtime: ContainerRuntime | None = None
        """None until `require` has found a program."""
        self._started: dict[str, TrialServices] = {}
        """What was started and not removed, by the names of the containers."""

    def require(self, project: ComposeProject, files: SampleFiles) -> None:
        """Find podman or docker, unless an earlier call has found it.

        Raises `ContainerError` if this machine has neither, or if the build of an
        image would reach more than the user allows.
        """
        if self._runtime is None:
            context = self._context
            self._runtime = find_runtime(
                self.settings, os.environ, context.stop, context.notify
            )
        for service in project.in_order():
            if service.build is not None:
                own_files = files.set_of(service.build.folder)
                self._runtime.images.needed_by(service, own_files)

    @property
    def machine_check(self) -> Callable[[], MachineFinding] | None:
        """What finds out for `doctor` whether containers start; None if no sample needs one."""
        if self._runtime is None:
            return None
        return partial(container_finding, self._runtime, images=())

    def remove_abandoned(self) -> None:
        """Remove what killed processes left. If that fails, the user is told."""
        if self._runtime is None:
            return
        try:
            remove_leftovers(self._runtime)
        except ContainerError as error:
            self._context.notify(f"containers of killed processes may be left: {error}")
        except CommandInterrupted:
            # No trial begins any more. The next run removes them.
            return

    def start(self, project: ComposeProject, files: SetFiles) -> TrialServices:
        """Start the containers that a project describes, after their images were built or pulled.

        Raises `ContainerError`, and `CommandInterrupted` if the run is being stopped.
        """
        assert self._runtime is not None, "found when the samples were loaded"
        started = TrialServices(
            self._runtime,
            project.with_network(is_allowed=self.settings.agent_network),
            files,
            f"{SAMPLE_PREFIX}{os.getpid()}-{secrets.token_hex(6)}",
            _BUILD_TIMEOUT_S,
        )
        started.start({OWNER_LABEL: owner()})
        self._started[started.name] = started
        return started

    def remove(self, started: TrialServices) -> None:
        """Remove the containers of a trial that has ended."""
        started.remove()
        self._started.pop(started.name, None)

    def close(self) -> None:
        """Remove all containers that are left."""
        for started in list(self._started.values()):
            self.remove(started)


@dataclass(frozen=True, slots=True)
class PlayableSample:
    """A sample that can be played, and its task."""

    task_id: str
    """`TASK.SAMPLE`, such as `words.heron`."""
    task: Task
    sample: Sample
    project: ComposeProject | None
    """The containers that it needs; None if it needs none."""
    files: SampleFiles
    """Where the files that are copied into the container may be."""
