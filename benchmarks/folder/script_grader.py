"""Grades a trial by its task's `grade.py`, which runs in the sandbox like any script.

def grade(answer, outcome, citations, changes):
    return 1.0 if "12" in answer else (0.0, ["the number is wrong"])
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NoReturn

from controlplane import BenchmarkError
from controlplane.benchmarks.folder.task_file.task_file import GRADE_FILE
from controlplane.local_benchmark.generated_trial import Grade
from controlplane.local_benchmark.local_environment import SubmittedAnswer
from controlplane.sandbox import Ending, ForkServer, Sandbox, working_layers
from controlplane.sandbox.interface import CallError, ToolSchema, error_codes
from controlplane.tool_benchmark.graded import grade_of

GRADE_CALL: Final = """

scratchpad["graded"] = grade(
    scratchpad["answer"], scratchpad["outcome"], scratchpad["citations"], scratchpad["changes"]
)
"""
"""The code that is appended to a grade.py. It calls the function `grade`.

The scratchpad, a dict that scripts share with this process, has the arguments and gets
the result.
"""


class _NoHost:
    """Takes the place of the object that carries out a script's calls, and refuses every call.

    A grader may only compute.
    """

    def __getattr__(self, name: str) -> NoReturn:
        raise CallError(error_codes.UNIMPLEMENTED, "a grader has no calls")


def script_grade(
    code: str,
    submission: SubmittedAnswer,
    changes: Mapping[str, str | None],
    server: ForkServer,
) -> Grade:
    """Run `grade(answer, outcome, citations, changes)` of a grade.py and return its grade.

    Raises `BenchmarkError` if it fails or does not return a grade.
    """
    host: Any = _NoHost()
    sandbox = Sandbox(
        ToolSchema(()),  # no operations
        host,
        now=None,
        seed=0,
        isolation=working_layers(
            server
        ).working,  # All layers that this machine supports.
        server=server,
    )
    with sandbox:
        sandbox.restore(
            {
                "answer": submission.message,
                "outcome": submission.outcome,
                "citations": list(submission.refs),
                "changes": dict(changes),
            }
        )
        result = sandbox.run(code + GRADE_CALL)
        # The scratchpad as plain data, without objects of the script's process.
        graded: Any = sandbox.flat_scratchpad.get("graded")
    if result.ending is not Ending.FINISHED:
        msg = f"{GRADE_FILE}: {' '.join(result.error.split())}"
        raise BenchmarkError(error_codes.FAILED_PRECONDITION, msg)
    if isinstance(graded, list):
        graded = tuple(graded)
    try:
        return grade_of(graded, GRADE_FILE)
    except TypeError as error:
        raise BenchmarkError(error_codes.FAILED_PRECONDITION, str(error)) from error
