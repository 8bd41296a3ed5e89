r"""A trial at a library of books, with the sandbox in which its scripts run.

    LibraryTrial(server).run("print(harness.tools.books_by('Austen').value)").output
    -> "['/books/emma.txt', '/books/persuasion.txt']\n"

`books_by` is a function of the benchmark, which a script calls like an operation of the environment.
"""

from datetime import UTC, datetime
from typing import Any

from controlplane.agent.events import StepDone, TrialEvent
from controlplane.agent.evidence import new_recorder
from controlplane.agent.evidence.tape import Tape
from controlplane.agent.loop import TrialContext, TrialSession, sandbox_of
from controlplane.sandbox import ALL_LAYERS, ForkServer, Limits
from tests.support.books.library import Library

NOW = datetime(2026, 1, 2, tzinfo=UTC)


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
