"""The benchmark `files:DIR`, with a single task: a question about the files below a folder.

The command `ask` plays it: `ask "Which invoices are open?" invoices/` is a run of this
benchmark with one trial. Nobody knows the right answer, so trials have no score.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from controlplane import (
    BenchmarkContext,
    BenchmarkError,
    BenchmarkIdentity,
    BenchmarkOption,
    Description,
    ListedTask,
    OpenedBenchmark,
    RunRequest,
    StartedRun,
    Trial,
)
from controlplane.benchmarks.files.files_environment import RUNTIME, FilesEnvironment
from controlplane.benchmarks.files.files_question import FilesQuestion
from controlplane.benchmarks.files.question_schema import HAS_TABLES
from controlplane.benchmarks.files.question_settings import read_question
from controlplane.benchmarks.files.sources.left_out_text import left_out_text
from controlplane.benchmarks.files.sources.source_digest import digest_of
from controlplane.local_benchmark.generated_trial import GeneratedTrial, Grade
from controlplane.local_benchmark.local_benchmark import LocalBenchmark
from controlplane.sandbox import WorkerLimits
from controlplane.sandbox.files.tool_world import TOOL_WORLD
from controlplane.sandbox.interface import bounds, error_codes

NAME: Final = "files"
TASK: Final = "ask"

MODULES_WITHOUT_TABLES: Final = (TOOL_WORLD, RUNTIME)
WORKER_MODULES: Final = (
    (*MODULES_WITHOUT_TABLES, "controlplane.benchmarks.files.tables.tables")
    if HAS_TABLES
    else MODULES_WITHOUT_TABLES
)
"""The modules that a trial's worker process imports before it isolates itself.

The one for tables takes a second to load. It is left out if the folder has no tables.
"""
WORKER_LIMITS: Final = WorkerLimits(
    call_cpu_s=20.0, call_wall_s=60.0, memory_mb=1_024, message_bytes=250_000_000
)
"""Enough for a table of 100 MB."""
OPTIONS: Final = (
    BenchmarkOption("question", "the question"),
    BenchmarkOption(
        "only",
        'only these folders and files below DIR, as a JSON list: ["docs", "notes.md"]',
    ),
    BenchmarkOption(
        "write", "the folder below DIR that scripts may write to, such as docs"
    ),
    BenchmarkOption(
        "file_mb",
        f"larger files are left out, in MB; {bounds.MOST_FILE_MB:g} unless set",
    ),
    BenchmarkOption(
        "total_mb",
        f"files beyond this total are left out, in MB; {bounds.MOST_TOTAL_MB:,g} unless set",
    ),
    BenchmarkOption(
        "most_files",
        f"files beyond this number are left out; {bounds.MOST_QUESTION_FILES:,} unless set",
    ),
    BenchmarkOption(
        "earlier",
        "what was asked and found before, as JSON; `ask --continue` fills it in",
    ),
)


def open_benchmark(
    argument: str, settings: Mapping[str, str], context: BenchmarkContext
) -> OpenedBenchmark:
    """Open the folder that the argument names: `invoices/` of `files:invoices/`.

    `settings` has the question and other options (`OPTIONS`). Raises `BenchmarkError` if there
    is no question, or if the folder has no text files that it can be about.
    """
    root = Path(argument or ".").expanduser().absolute()
    question = read_question(root, settings)
    sources = question.sources
    if not sources.paths and not question.writable:
        msg = f"{root}: there is no text file to ask"
        left_out = left_out_text(sources)
        if left_out:
            msg += f": {left_out}"
        raise BenchmarkError(error_codes.INVALID_ARGUMENT, msg)

    benchmark = FilesBenchmark(question, context.notify)
    return OpenedBenchmark(
        benchmark,
        resume_identity=BenchmarkIdentity(f"{NAME}:{root}", settings),
        worker_modules=(
            WORKER_MODULES if question.may_have_tables else MODULES_WITHOUT_TABLES
        ),
        worker_limits=WORKER_LIMITS,
        world_version=digest_of(sources),
        rebuilds_trials=True,  # A resumed trial gets a new world from the same files.
        tool_schemas=benchmark.tool_schemas,
        # The reason why trials cannot run on other machines.
        stays_here="its files lie on this machine; use --workers threads",
        files=sources,  # `ask --save-task` saves them with the question.
    )


class FilesBenchmark(LocalBenchmark):
    """One question about files. Created once for each run."""

    def __init__(self, question: FilesQuestion, notify: Callable[[str], None]) -> None:
        """Create the benchmark. `notify` tells the user what a run should not begin without."""
        super().__init__(NAME, (TASK,), has_scores=False)
        self._question = question
        self._sources = question.sources
        self._notify = notify

    def describe(self, preview_seed: int | None = None) -> Description:
        """Return the only task."""
        count = len(self._sources)
        files = "1 file" if count == 1 else f"{count:,} files"
        title = f"a question to {files} below {self._sources.root}"
        return Description(NAME, title, (ListedTask(TASK, self._question.text),))

    def start_run(self, request: RunRequest) -> StartedRun:
        """Create a trial for each try, and notify the user of files that are left out."""
        left_out = left_out_text(self._sources)
        if left_out:
            self._notify(left_out)
        if self._sources.has_tables and not HAS_TABLES:
            self._notify(
                "scripts have no harness.table: it needs the extra tables (pip install -e '.[tables]')"
            )
        return super().start_run(request)

    def generate(self, trial_id: str) -> GeneratedTrial:
        """Create a trial's world. Raises `BenchmarkError` if the text is not a trial's id."""
        # Only to raise the error: all trials have the same task.
        self.parts_of(trial_id)
        environment = FilesEnvironment(self._question)
        trial = Trial(
            trial_id, TASK, self._question.text, environment, environment.use_worker
        )
        return GeneratedTrial(trial, grade=lambda: Grade(None))  # No score.
