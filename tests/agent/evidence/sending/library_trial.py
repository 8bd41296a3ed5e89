r"""A trial at a library of books, with the sandbox in which its scripts run.

    LibraryTrial(server).run("print(harness.tools.books_by('Austen').value)").output
    -> "['/books/emma.txt', '/books/persuasion.txt']\n"

`books_by` is a function that the library declares. A script calls it as `harness.tools.books_by(author)`,
and gets the paths as `.value` of the result.
"""

from datetime import UTC, datetime

from controlplane.agent.events import StepDone, TrialEvent
from controlplane.agent.evidence import new_recorder
from controlplane.agent.evidence.tape import Tape
from controlplane.agent.loop import TrialContext, TrialSession, sandbox_of
from controlplane.sandbox import ALL_LAYERS, ForkServer, Limits, StepResult
from tests.support.books.library import Library

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
        self.session = TrialSession(context, recorder)
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
