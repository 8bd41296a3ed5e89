"""A function of a benchmark that never ends, or that cannot be loaded, ends in a telling error.

A script calls `harness.tools.books_by(author)`. This function is code of the benchmark, which runs in
the sandbox of the script.
"""

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from controlplane.agent.events import StepDone, TrialEvent
from controlplane.agent.evidence import new_recorder
from controlplane.agent.evidence.tape import Tape
from controlplane.agent.loop import TrialContext, TrialSession, sandbox_of
from controlplane.sandbox import (
    ALL_LAYERS,
    ForkServer,
    Limits,
    SandboxBroken,
    StepResult,
)
from controlplane.sandbox.interface import CallError
from tests.support.books.library import Library
from tests.support.run_budgets import ample_budget


@pytest.fixture(scope="session")
def library_server() -> Iterator[ForkServer]:
    """Start sandboxes that can run the functions of `tests.support.books`."""
    with ForkServer((), ("tests.support.books.book_functions",)) as server:
        yield server


# A trial at a library of books, with the sandbox in which its scripts run.
#
#     LibraryTrial(server).run("print(harness.tools.books_by('Austen').value)").output
#     -> "['/books/emma.txt', '/books/persuasion.txt']\n"
#
# `books_by` is a function that the library declares. A script calls it as `harness.tools.books_by(author)`,
# and gets the paths as `.value` of the result.

NOW = datetime(2026, 1, 2, tzinfo=UTC)


class LibraryTrial:
    """Runs scripts, each in a step of its own, as replies of a model."""

    def __init__(self, server: ForkServer, limits: Limits | None = None) -> None:
        self.events: list[TrialEvent] = []
        self.library = Library()
        context = TrialContext(
            trial_id="t", task_id="books.0", instruction="Which books?", now=NOW
        )
        recorder = new_recorder("t", self.library, self.events.append, tape=Tape())
        self.session = TrialSession(context, recorder, ample_budget())
        self.sandbox = sandbox_of(
            self.session,
            server,
            limits=limits or Limits(step_wall_s=5),
            isolation=ALL_LAYERS,
        )

    def run(self, script: str) -> StepResult:
        """Start the sandbox, run a script in it in a new step, and return what came of it."""
        with self.sandbox, self.session.step() as step:
            result = self.sandbox.run(script)
            step.done = StepDone(trial_id="t", step=step.number, code=script)
        return result


# A function of a benchmark that does what it must not fails with a message that names the fault.
#
# `harness.tools.books_by(author)` runs code of the benchmark in the sandbox. For some authors, such as
# "broken", it does something wrong: `LibraryTrial(server).run(script)` returns what comes of the script.


def test_a_function_may_decline(library_server: ForkServer) -> None:
    """For "nobody", the function raises the error by which a function declines, with its
    reason."""
    result = LibraryTrial(library_server).run("harness.tools.books_by('nobody')")

    assert "failed_precondition: nobody is no author" in result.error


def test_a_function_with_a_bug_is_named_with_its_error(
    library_server: ForkServer,
) -> None:
    """For "broken", the function raises `ZeroDivisionError`."""
    result = LibraryTrial(library_server).run("harness.tools.books_by('broken')")

    expected_message = (
        "internal: tests.support.books.book_functions:books_by broke: ZeroDivisionError"
    )
    assert expected_message in result.error


def test_a_function_may_not_write(library_server: ForkServer) -> None:
    """For "writer", the function calls `harness.write`, which does not reach the
    environment."""
    trial = LibraryTrial(library_server)

    result = trial.run("harness.tools.books_by('writer')")

    expected_message = "permission_denied: inside a function harness calls only read"
    assert expected_message in result.error
    calls_at_environment = trial.library.asked
    assert "write" not in calls_at_environment


def test_a_function_with_too_many_calls_is_stopped(library_server: ForkServer) -> None:
    """For "endless", the function makes 1,000 calls. A function may make 300."""
    result = LibraryTrial(library_server).run("harness.tools.books_by('endless')")

    assert "the function needs more than 300 calls" in result.error


# A script that uses a function of the benchmark in a wrong way is told the right one.
#
# The model reads the message of the error, and should be able to correct its script. The library has one
# function, `harness.tools.books_by(author)`, which returns the paths of books.


@pytest.mark.parametrize(
    ("script", "message"),
    [
        pytest.param(
            "harness.tools.books_of('x')",
            "harness.tools has no 'books_of'; did you mean harness.tools.books_by?",
            id="misspelt function",
        ),
        pytest.param(
            "harness.books_by('x')",
            "did you mean harness.tools.books_by?",
            id="function called like an operation",
        ),
        pytest.param(
            "harness.tools.books_by(7)",
            "author is str, not int 7",
            id="argument of a wrong type",
        ),
        pytest.param(
            "scratchpad.cite_all('/books/emma.txt')",
            "takes what a function of harness.tools returned",
            id="citing a path instead of a result",
        ),
    ],
)
def test_a_wrong_use_of_a_function_gets_a_message_with_the_right_one(
    library_server: ForkServer, script: str, message: str
) -> None:
    result = LibraryTrial(library_server).run(script)

    assert message in result.error


def test_a_function_that_never_ends_fails_its_step_and_the_next_one_works(
    library_server: ForkServer,
) -> None:
    """`books_by("forever")` loops, until the step has used its processor time."""
    limits = Limits(step_wall_s=5, step_cpu_s=0.3)
    trial = LibraryTrial(library_server, limits)

    with trial.sandbox:
        stopped_step = trial.session.step()
        with (
            stopped_step,
            pytest.raises(CallError, match="the step used more than"),
        ):
            # This is what the script's call would do. Here, its error can be caught.
            trial.session.call("books_by", {"author": "forever"})

        next_step = trial.session.step()
        with next_step:
            script = "print(harness.tools.books_by('Herbert').value)"
            next_result = trial.sandbox.run(script)

    assert next_result.output == "['/books/dune.txt']\n"


def test_a_module_that_the_sandbox_cannot_import_is_named_in_the_error() -> None:
    """This module, as an example of many, imports libraries that the reduced Python of the
    sandbox cannot load. So no script can start."""
    unusable_module = "tests.support.books.solver_attempts"
    with (
        ForkServer((), (unusable_module,)) as server,
        pytest.raises(SandboxBroken) as broken,
    ):
        LibraryTrial(server).run("print(1)")

    assert str(broken.value).startswith(
        f"the functions of {unusable_module} cannot be loaded beside"
    )
