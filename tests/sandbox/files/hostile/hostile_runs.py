"""Runs of hostile scripts over a folder, and what they cost the parent process.

The parent answers the calls of scripts, so a call such as `harness.search("(a|a)*c")` could stop
it, and with it all other trials.
"""

from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from controlplane.sandbox import ForkServer, Limits, Sandbox, StepResult
from controlplane.sandbox.files.folder_host import FolderHost
from tests.support.executed_work import executed_lines

HARNESS_CALLS = """
def attempt(call):
    try:
        return call()
    except (HarnessError, FileNotFoundError, TypeError, ValueError) as error:
        print(str(error)[:200])
def write(path, text): attempt(lambda: harness.write(path, text))
def read(path, *lines): attempt(lambda: harness.read(path, *lines))
def search(pattern, **more): attempt(lambda: harness.search(pattern, **more))
def find(name, **more): attempt(lambda: harness.find(name, **more))
def run(tool, args): attempt(lambda: harness.exec(tool, args))
"""
"""The first lines of the hostile scripts below: calls that print their error and go on.

`read("/a", 2, 3)` is `harness.read("/a", 2, 3)`, and so on; `run` runs a tool such as `/bin/cat`.
"""


class HostileRun(NamedTuple):
    """What a hostile script did, and what the next script of its trial printed."""

    result: StepResult
    python_lines_of_parent: int
    """How many lines of Python the parent executed, which are the same on any machine."""
    file_printed_by_next_script: str


def run_hostile_script(server: ForkServer, folder: Path, script: str) -> HostileRun:
    """Run a script over a folder, and then one that prints the file `docs/a.txt` of the folder.

    `run_hostile_script(server, folder, "read('/none')")` -> `HostileRun(result=…,
    python_lines_of_parent=4_000, file_printed_by_next_script="alpha\\nbeta\\n")`
    """
    now = datetime(2026, 1, 1, tzinfo=UTC)
    host = FolderHost(folder, now)
    limits = Limits(step_wall_s=120.0, step_cpu_s=10.0)

    with Sandbox(
        host.tool_schema, host, now=now, seed=1, limits=limits, server=server
    ) as sandbox:
        sandbox.ready_child()  # The start of the process does not count.
        results: list[StepResult] = []
        lines = executed_lines(
            lambda: results.append(sandbox.run(HARNESS_CALLS + script))
        )
        next_step = sandbox.run("print(harness.read('/docs/a.txt').content, end='')")
    return HostileRun(results[0], lines, next_step.output)
