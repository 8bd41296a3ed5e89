"""What a trial leaves: the files that its task collects from containers, and a folder for a reader.

trial-folder/
  verifier/test-stdout.txt, ctrf.json, reward.txt     all files of /logs/verifier
  agent/oracle.txt                                    all files of /logs/agent
  artifacts/app/report.csv                            what `artifacts` of task.toml names
"""

from __future__ import annotations

import fnmatch
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

from controlplane.benchmark import BenchmarkContext
from controlplane.benchmarks.containers.container import (
    CommandPlace,
    Container,
    ContainerFiles,
)
from controlplane.benchmarks.containers.runtime_program import (
    ContainerError,
    last_lines,
)
from controlplane.benchmarks.containers.services import TrialServices
from controlplane.benchmarks.harbor.tasks import (
    MAIN,
    ArtifactTable,
    CollectTable,
    HarborTask,
)
from controlplane.sandbox.files import write_whole

_CONVENTION: Final = "/logs/artifacts"
"""The folder whose files are collected, whatever task.toml says."""
_LOGS: Final = "/logs"
_MOST_BYTES: Final = 50_000_000
"""The most bytes of one artifact."""


@dataclass(frozen=True, slots=True)
class TrialOutputs:
    """The folder of one trial on this machine."""

    folder: Path | None
    """None if nobody reads it."""

    def write(self, name: str, files: ContainerFiles | None) -> None:
        """Write files below a folder of this name. What cannot be written is left out."""
        if self.folder is None or files is None:
            return
        top = self.folder / name
        for path, content in files.contents.items():
            place = top / path if path else top
            if ".." in PurePosixPath(path).parts or not _is_writable_name(path):
                continue
            try:
                write_whole(place, content, self.folder)
            except OSError:
                continue


def _is_writable_name(path: str) -> bool:
    """Return True for a path that a file on this machine may have."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return "\0" not in path and not path.startswith("/")


def collect(
    task: HarborTask,
    opened: TrialServices,
    context: BenchmarkContext,
    outputs: TrialOutputs,
) -> Mapping[str, ContainerFiles]:
    """Run the commands that collect, take the artifacts, and return these by their paths in a container.

    The services follow the agent's container. A command that fails is told, and costs nothing else. Raises
    `ContainerError`, and `CommandInterrupted` if the run is being stopped.
    """
    main_name = opened.project.main_name
    collected: dict[str, ContainerFiles] = {}
    places: set[str] = set()
    for service, container in opened.containers.items():
        names = (service, MAIN) if service == main_name else (service,)
        for hook in task.file.verifier.collect:
            if hook.service in names:
                fault = _fault_of_hook(hook, container)
                if fault:
                    context.notify(f"{task.task_id}: {service}: {fault}")
        logs: ContainerFiles | None = None
        if service == main_name:
            # One command reads what the agent and its hooks have left in the usual folders.
            logs = container.files_at(_LOGS, _MOST_BYTES)
            outputs.write("agent", _below(logs, "agent"))
        for artifact in _artifacts_of(task):
            if artifact.service not in names or artifact.place in places:
                continue
            is_usual = artifact.source.rstrip("/") == _CONVENTION
            if is_usual and logs is not None and not logs.is_cut:
                files = _below(logs, "artifacts")
            else:
                files = container.files_at(artifact.source, _MOST_BYTES)
            if files is None:
                continue
            places.add(artifact.place)
            kept = _without_excluded(files, artifact)
            collected[artifact.source] = kept
            outputs.write(f"artifacts/{artifact.place}", kept)
    return collected


def _below(files: ContainerFiles | None, name: str) -> ContainerFiles | None:
    """Return the files of a folder among those that were read."""
    if files is None:
        return None
    start = f"{name}/"
    contents = {
        path.removeprefix(start): content
        for path, content in files.contents.items()
        if path.startswith(start)
    }
    modes = {path.removeprefix(start): mode for path, mode in files.modes.items()}
    return ContainerFiles(contents, files.is_cut, modes)


def _artifacts_of(task: HarborTask) -> Iterator[ArtifactTable]:
    """Yield what is collected: first the files of the usual folder."""
    artifacts = task.file.artifacts
    if all(artifact.source.rstrip("/") != _CONVENTION for artifact in artifacts):
        yield ArtifactTable(source=_CONVENTION)
    yield from artifacts


def _fault_of_hook(hook: CollectTable, container: Container) -> str:
    """Run a command of `[[verifier.collect]]`, and return why it fails; empty if it does not."""
    place = container.place
    result = container.run(
        ["/bin/sh", "-c", hook.command],
        CommandPlace(hook.user or place.user, place.workdir),
        timeout_s=hook.timeout_sec,
        while_waiting=container.program.raise_if_stopped,
    )
    if result.exit_code == 0:
        return ""
    lines = last_lines(result.stdout + result.stderr)
    return f"the command that collects fails: {' '.join(lines)[:300]}"


def _without_excluded(files: ContainerFiles, artifact: ArtifactTable) -> ContainerFiles:
    """Return the files of an artifact but those that it excludes."""
    contents = {
        path: content
        for path, content in files.contents.items()
        if not any(_is_match(path, pattern) for pattern in artifact.exclude)
    }
    return ContainerFiles(contents, files.is_cut, files.modes)


def _is_match(path: str, pattern: str) -> bool:
    """Return True if a path, or one of its names, fits a pattern as those of `tar --exclude`."""
    names = PurePosixPath(path).parts
    return fnmatch.fnmatchcase(path, pattern) or any(
        fnmatch.fnmatchcase(name, pattern) for name in names
    )


def upload(collected: Mapping[str, ContainerFiles], container: Container) -> None:
    """Put collected files into the container of a separate verifier, where they were before.

    Raises `ContainerError`, also if a file was too long to be collected whole.
    """
    for source, files in collected.items():
        if files.is_cut:
            msg = f"the artifact {source} has more than {_MOST_BYTES:,} bytes"
            raise ContainerError(msg)
        with tempfile.TemporaryDirectory(prefix="controlplane-") as temporary:
            top = Path(temporary, "files")
            top.mkdir()
            is_file = set(files.contents) == {""}
            for path, content in files.contents.items():
                name = path or PurePosixPath(source).name
                place = top / name
                write_whole(place, content, top)
                place.chmod(files.modes.get(path, 0o644))
            target = str(PurePosixPath(source).parent) if is_file else source
            container.script('mkdir -p "$1"', target)
            container.copy_in(top, target)
