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
from controlplane.agent.evidence import Recorder
from controlplane.agent.loop import TrialContext, new_session, sandbox_of
from controlplane.sandbox import ALL_LAYERS, ForkServer, Limits, SandboxBroken
from controlplane.sandbox.interface import CallError
from tests.support.library import Library

NOW = datetime(2026, 1, 2, tzinfo=UTC)


@pytest.fixture(scope="module")
def library_server() -> Iterator[ForkServer]:
    """Start sandboxes that can run the functions of `tests.support.library`."""
    with ForkServer((), ("tests.support.library",)) as server:
        yield server


class LibraryTrial:
    """A trial at a library of books, with the sandbox in which its scripts run."""

    def __init__(self, server: ForkServer, limits: Limits | None = None) -> None:
        self.events: list[TrialEvent] = []
        self.library = Library()
        context = TrialContext("t", "books.0", "Which books?", NOW)
        recorder = Recorder("t", self.library, self.events.append)
        self.session = new_session(context, recorder)
        self.sandbox = sandbox_of(
            self.session, server, limits or Limits(step_wall_s=5), ALL_LAYERS
        )

    def run(self, script: str) -> Any:
        """Run a script in a step of its own, and return its result: `error`, `output` and others."""
        with self.sandbox, self.session.step() as step:
            result = self.sandbox.run(script)
            step.done = StepDone(trial_id="t", step=step.number, code=script)
        return result


# The function `books_by` misbehaves for some authors, on purpose:
#   "broken"    it divides by zero
#   "writer"    it tries to write a file, although functions may only read
#   "endless"   it makes 1,000 calls
#   "forever"   it loops
#   "nobody"    it declines: there is no such author


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
            "harness.tools.books_by('nobody')",
            "failed_precondition: nobody is no author",
            id="function that declines",
        ),
        pytest.param(
            "harness.tools.books_by(7)",
            "author is str, not int 7",
            id="argument of a wrong type",
        ),
        pytest.param(
            "harness.tools.books_by('endless')",
            "the function needs more than 300 calls",
            id="function with too many calls",
        ),
        pytest.param(
            "harness.tools.books_by('broken')",
            "internal: tests.support.library:books_by broke: ZeroDivisionError",
            id="function that raises",
        ),
        pytest.param(
            "harness.tools.books_by('writer')",
            "permission_denied: inside a function harness calls only read",
            id="function that writes",
        ),
        pytest.param(
            "scratchpad.cite_all('/books/emma.txt')",
            "takes what a function of harness.tools returned",
            id="citing a path instead of a result",
        ),
    ],
)
def test_a_failed_call_of_a_function_says_what_is_wrong(
    library_server: ForkServer, script: str, message: str
) -> None:
    """The model reads the message, and should be able to correct its script."""
    trial = LibraryTrial(library_server)

    result = trial.run(script)

    assert message in result.error
    calls_at_environment = trial.library.asked
    assert "write" not in calls_at_environment


def test_a_function_that_never_ends_fails_its_step_and_the_next_one_works(
    library_server: ForkServer,
) -> None:
    """A step may use 0.3 s of processor time here. The function `books_by` loops for "forever"."""
    trial = LibraryTrial(library_server, Limits(step_wall_s=5, step_cpu_s=0.3))

    with trial.sandbox:
        with (
            trial.session.step(),
            pytest.raises(CallError, match="the step used more than"),
        ):
            trial.session.call("books_by", {"author": "forever"})

        with trial.session.step():
            script = "print(harness.tools.books_by('Herbert').value)"
            next_result = trial.sandbox.run(script)

    assert next_result.output == "['/books/dune.txt']\n"


def test_a_module_that_the_sandbox_cannot_import_is_named_in_the_error() -> None:
    """The sandbox lacks the C part of `datetime`. The module of this test imports a library that
    needs it, so that its functions cannot run there."""
    with (
        ForkServer((), ("tests.support.exoskeleton_trials",)) as server,
        pytest.raises(SandboxBroken) as broken,
    ):
        LibraryTrial(server).run("print(1)")

    assert str(broken.value).startswith(
        "the functions of tests.support.exoskeleton_trials cannot be loaded beside"
    )
