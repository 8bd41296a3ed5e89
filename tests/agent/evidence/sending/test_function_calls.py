"""Functions of a benchmark, which a script calls like operations of the environment.

`harness.tools.books_by("Austen")` runs code of the benchmark in the sandbox, which reads the
library and returns the paths of books. Wrong uses and broken functions get a message that says
what is right, and cost no more than the step (a reply and its script).
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from controlplane.agent.events import StepDone, TrialEvent
from controlplane.agent.evidence import new_recorder
from controlplane.agent.evidence.tape import Tape
from controlplane.agent.loop import TrialContext, TrialSession, sandbox_of
from controlplane.sandbox import ALL_LAYERS, ForkServer, Limits, SandboxBroken
from controlplane.sandbox.interface import CallError
from tests.support.books.library import Library

NOW = datetime(2026, 1, 2, tzinfo=UTC)


@pytest.fixture(scope="module")
def library_server() -> Iterator[ForkServer]:
    """Start sandboxes that can run the functions of `tests.support.books`."""
    with ForkServer((), ("tests.support.books.book_functions",)) as server:
        yield server


class LibraryTrial:
    """A trial at a library of books, with the sandbox in which its scripts run."""

    def __init__(self, server: ForkServer, limits: Limits | None = None) -> None:
        self.events: list[TrialEvent] = []
        self.library = Library()
        context = TrialContext("t", "books.0", "Which books?", NOW)
        recorder = new_recorder("t", self.library, self.events.append, tape=Tape())
        self.session = TrialSession(context, recorder)
        self.sandbox = sandbox_of(
            self.session, server, limits or Limits(step_wall_s=5), ALL_LAYERS
        )

    def run(self, script: str) -> Any:
        """Run a script in a step of its own, and return its result: `error`, `output` and
        others."""
        with self.sandbox, self.session.step() as step:
            result = self.sandbox.run(script)
            step.done = StepDone(trial_id="t", step=step.number, code=script)
        return result


class TestWrongUses:
    """A script that uses a function in a wrong way is told the right one.

    The model reads the message of the error, and should be able to correct its script. The library
    has one function, `harness.tools.books_by(author)`.
    """

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
        self, library_server: ForkServer, script: str, message: str
    ) -> None:
        result = LibraryTrial(library_server).run(script)

        assert message in result.error


class TestFaultsOfFunctions:
    """A function that does what it must not fails with a message that names the fault.

    For some authors, `books_by` does so: `LibraryTrial(server).run(script)` returns the result of a
    script that asks for such an author.
    """

    def test_a_function_may_decline(self, library_server: ForkServer) -> None:
        """For "nobody", the function raises the error by which a function declines, with its
        reason."""
        result = LibraryTrial(library_server).run("harness.tools.books_by('nobody')")

        assert "failed_precondition: nobody is no author" in result.error

    def test_a_function_with_a_bug_is_named_with_its_error(
        self, library_server: ForkServer
    ) -> None:
        """For "broken", the function raises `ZeroDivisionError`."""
        result = LibraryTrial(library_server).run("harness.tools.books_by('broken')")

        expected_message = "internal: tests.support.books.book_functions:books_by broke: ZeroDivisionError"
        assert expected_message in result.error

    def test_a_function_may_not_write(self, library_server: ForkServer) -> None:
        """For "writer", the function calls `harness.write`, which does not reach the
        environment."""
        trial = LibraryTrial(library_server)

        result = trial.run("harness.tools.books_by('writer')")

        expected_message = (
            "permission_denied: inside a function harness calls only read"
        )
        assert expected_message in result.error
        calls_at_environment = trial.library.asked
        assert "write" not in calls_at_environment

    def test_a_function_with_too_many_calls_is_stopped(
        self, library_server: ForkServer
    ) -> None:
        """For "endless", the function makes 1,000 calls. A function may make 300."""
        result = LibraryTrial(library_server).run("harness.tools.books_by('endless')")

        assert "the function needs more than 300 calls" in result.error


class TestUnusableFunctions:
    """A function that never ends, or cannot be loaded, fails only its own step.

    A step is a reply of the model with its script.
    """

    def test_a_function_that_never_ends_fails_its_step_and_the_next_one_works(
        self, library_server: ForkServer
    ) -> None:
        """For "forever", the function loops. It is stopped when the step has used 0.3 s of
        processor time. The next step has a sandbox that works."""
        limits = Limits(step_wall_s=5, step_cpu_s=0.3)
        trial = LibraryTrial(library_server, limits)

        with trial.sandbox:
            stopped_step = trial.session.step()
            with (
                stopped_step,
                pytest.raises(CallError, match="the step used more than"),
            ):
                trial.session.call("books_by", {"author": "forever"})

            next_step = trial.session.step()
            with next_step:
                script = "print(harness.tools.books_by('Herbert').value)"
                next_result = trial.sandbox.run(script)

        assert next_result.output == "['/books/dune.txt']\n"

    def test_a_module_that_the_sandbox_cannot_import_is_named_in_the_error(
        self,
    ) -> None:
        """The sandbox has a reduced Python, without the C part of `datetime`. The module that is
        named here imports a library that needs it, so its functions cannot run in the sandbox."""
        with (
            ForkServer((), ("tests.support.books.solver_attempts",)) as server,
            pytest.raises(SandboxBroken) as broken,
        ):
            LibraryTrial(server).run("print(1)")

        assert str(broken.value).startswith(
            "the functions of tests.support.books.solver_attempts cannot be loaded beside"
        )
