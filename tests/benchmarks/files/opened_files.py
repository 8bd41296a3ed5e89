"""Opens files as a question about them does, for tests: a script's calls can then be made.

`environment_of(folder).call("read", {"path": "/a.txt"})` is what `harness.read("/a.txt")`
does in a script.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from controlplane.benchmarks.files.files_benchmark import WORKER_LIMITS, find_sources
from controlplane.benchmarks.files.files_environment import FilesEnvironment
from controlplane.benchmarks.files.question_schema import FilesQuestion
from controlplane.benchmarks.files.sources.file_sources import SourceFiles
from controlplane.sandbox import ForkServer, Worker


def environment_of(
    folder: Path, *, writable: str = "", **limits: float
) -> FilesEnvironment:
    """Return the environment for the calls that need no worker: reading, searching and writing.

    `writable` is the folder that scripts may write to; empty if there is none. `limits` are those
    of the files: `file_mb=1.0` if none may be larger to be read as a whole.
    """
    sources = find_sources(folder, **limits)
    return FilesEnvironment(FilesQuestion("What?", sources, writable))


@contextmanager
def environment_with_worker(
    fork_server: ForkServer, sources: SourceFiles, *, writable: str = ""
) -> Iterator[FilesEnvironment]:
    """Yield the environment for all calls; `writable` is the folder that scripts may write to.

    Tables and passages are read in a worker: a process that is forked from `fork_server`, so that a
    hostile file can only harm this process.
    """
    environment = FilesEnvironment(FilesQuestion("What?", sources, writable))
    with Worker(fork_server, limits=WORKER_LIMITS) as worker:
        environment.use_worker(worker)
        yield environment


def write_files(folder: Path, texts: Mapping[str, str]) -> None:
    """Write each text to a file below `folder`: `{"docs/a.md": "# Loans"}`."""
    for path, text in texts.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
