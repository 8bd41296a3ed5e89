"""Grades a trial by its task's `grade.py`, which runs in the sandbox like any script.

    def grade(answer, outcome, citations, changes):
        return 1.0 if "12" in answer else (0.0, ["the number is wrong"])

The function returns the score, alone or with reasons.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NoReturn

from controlplane import BenchmarkError
from controlplane.benchmarks.folder.task_file.task_file import GRADE_FILE
from controlplane.local_benchmark.generated_trial import Grade
from controlplane.local_benchmark.local_environment import SubmittedAnswer
from controlplane.sandbox import Ending, ForkServer, Sandbox, working_layers
from controlplane.sandbox.interface import CallError, Plain, ToolSchema, error_codes
from controlplane.tool_benchmark.graded import grade_of

GRADE_CALL: Final = """

scratchpad["graded"] = grade(
    scratchpad["answer"], scratchpad["outcome"], scratchpad["citations"], scratchpad["changes"]
)
"""
"""The code that is appended to a grade.py, so that its function `grade` is called.

The arguments and the result pass through the scratchpad, a dict that this process and the
script in the sandbox share.
"""


class _NoHost:
    """The host of a grader: a script's calls go to its host, and this one refuses them all.

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
    """Return the grade that the function `grade` of a grade.py gives. `code` is its text.

    The function returns a score from 0 to 1, or the score with reasons: `(0.5, ["no date"])`. If it
    returns something else, the grade has no score. `changes` has the new texts of changed files by
    path, and None for deleted ones. Raises `BenchmarkError` if the code fails.
    """
    graded = _returned_value(
        code,
        {
            "answer": submission.message,
            "outcome": submission.outcome,
            "citations": list(submission.refs),
            "changes": dict(changes),
        },
        server,
    )
    if isinstance(graded, list):
        # The function has returned a tuple, but plain data has only lists.
        graded = tuple(graded)
    return grade_of(graded, GRADE_FILE)


def _returned_value(code: str, arguments: dict[str, Plain], server: ForkServer) -> Any:
    """Run `grade` with these arguments in a new sandbox, and return what it returns.

    Raises `BenchmarkError` if the code fails.
    """
    host: Any = _NoHost()
    # All layers of isolation that this machine supports
    layers = working_layers(server).working
    no_operations = ToolSchema(())
    sandbox = Sandbox(
        no_operations, host, now=None, seed=0, isolation=layers, server=server
    )
    with sandbox:
        sandbox.restore(arguments)  # They become the scratchpad.
        result = sandbox.run(code + GRADE_CALL)
        # The scratchpad as plain data, without objects of the script's process.
        graded = sandbox.flat_scratchpad.get("graded")
    if result.ending is not Ending.FINISHED:
        msg = f"{GRADE_FILE}: {' '.join(result.error.split())}"
        raise BenchmarkError(error_codes.FAILED_PRECONDITION, msg)
    return graded
