"""The public names of `controlplane`, which its `__init__` takes from here at their first use."""

from controlplane.benchmark import (
    Benchmark,
    BenchmarkContext,
    BenchmarkError,
    BenchmarkIdentity,
    BenchmarkOption,
    Description,
    OpenedBenchmark,
    RunRequest,
    RunResult,
    RunState,
    StartedRun,
    TaskHead,
    TaskSelection,
    TaskStub,
    TaskTry,
    Trial,
    TrialHead,
    TrialScore,
    TrialStub,
    start_selected_run,
)
from controlplane.errors import did_you_mean
from controlplane.inspect_bridge import inspect_agent
from controlplane.journal.journal_reader import Journal, RecordedTrial, open_journal
from controlplane.journal.run_summary import Spent, TrialSummary
from controlplane.library import RunReport, open_run, run, solve
from controlplane.tasks import Grade, Task, TaskEnvironment, Tool, ToolBenchmark
from controlplane.text_files import decode_text, is_text
