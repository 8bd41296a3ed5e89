"""What a script of the model prints in a run of a task with one tool.

printed_by_script(folder, Tool(len, "returns", name="count"), "print(harness.count('A-7'))")
    ->    ["3"]
"""

from pathlib import Path

from controlplane import Task, Tool
from tests.controlplane.tool_benchmark.played_runs import only_trial
from tests.controlplane.tool_benchmark.scripted_model import (
    ModelWithScripts,
    run_without_gates,
    script_with_answer,
)


def printed_by_script(folder: Path, tool: Tool, *lines: str) -> list[str]:
    """Return the lines that a script of these lines prints, in a run of a task with this tool."""
    task = Task("print.1", "Print results.", tools=[tool])
    model = ModelWithScripts(script_with_answer(*lines))
    run = run_without_gates([task], model, folder)
    (step,) = only_trial(run).record.step_summaries
    return step.output.splitlines()
