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
from contextlib import suppress
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


def keep(files: ContainerFiles | None, folder: Path | None, name: str) -> None:
    """Write files below `name` in the folder of a trial; do nothing if it has none.

    What cannot be written is left out.
    """
    if folder is None or files is None:
        return
    for path, content in files.contents.items():
        if path.startswith("/") or ".." in PurePosixPath(path).parts:
            continue
        # Such as a name with half of a surrogate pair, or one that is too long.
        with suppress(OSError, ValueError):
            write_whole(
                folder / name / path if path else folder / name, content, folder
            )


def collect(
    task: HarborTask,
    opened: TrialServices,
    context: BenchmarkContext,
    folder: Path | None,
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
            keep(_below(logs, "agent"), folder, "agent")
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
            keep(kept, folder, f"artifacts/{artifact.place}")
    return collected


def _below(files: ContainerFiles | None, name: str) -> ContainerFiles | None:
    """Return the files of a folder among those that were read."""
    if files is None:
        return None
    start = f"{name}/"
    paths = [path for path in files.contents if path.startswith(start)]
    contents = {path.removeprefix(start): files.contents[path] for path in paths}
    modes = {path.removeprefix(start): files.modes[path] for path in paths}
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
