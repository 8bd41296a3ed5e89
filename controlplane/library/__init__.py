"""The library: runs from Python, with every setting of the command line, and results as objects.

`controlplane` exports the names that are imported here. Nothing is left behind in the
process: no environment variable, no working folder, no thread setting. While a run
works in the main thread, Ctrl-C stops it as on the command line; the previous signal
handlers are restored at its end.
"""

from controlplane.benchmark import (
    Benchmark,
    BenchmarkContext,
    BenchmarkError,
    BenchmarkIdentity,
    BenchmarkOption,
    Description,
    ListedTask,
    OpenedBenchmark,
    PlannedTrial,
    RunRequest,
    RunResult,
    RunState,
    StartedRun,
    TaskTry,
    Trial,
    TrialScore,
)
from controlplane.configuration.run_settings import RunSettings
from controlplane.errors import (
    ControlPlaneError,
    Interrupted,
    UsageError,
)
from controlplane.journal.journal_reader import Journal, open_journal
from controlplane.journal.totals.trial_summary import Spent, TrialSummary
from controlplane.journal.trial_reader import RecordedTrial
from controlplane.library.run_report import RunReport, open_run
from controlplane.library.runs import (
    ask,
    fork,
    inspect_agent,
    poll,
    rerun,
    resume,
    run,
    solve,
    submit,
)
from controlplane.score_scale import ScoreScale
from controlplane.task_selection import TaskSelection, start_selected_run
from controlplane.text_files import decode_text, is_text
from controlplane.tool_benchmark.environments import (
    EnvironmentCall,
    TaskEnvironment,
)
from controlplane.tool_benchmark.local_runs import Grade
from controlplane.tool_benchmark.model_user import ModelUser
from controlplane.tool_benchmark.tool_benchmark import (
    Task,
    TaskList,
    ToolBenchmark,
    Truth,
)
from controlplane.tools.function_tool import Tool
