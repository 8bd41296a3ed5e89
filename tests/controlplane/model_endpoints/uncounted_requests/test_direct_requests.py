"""An agent of a user cannot ask the model past the record and the limits of a run.

A user may write an agent (a solver). It has to ask the model by `session.ask`, which records one reply,
and counts its cost:

    session.ask(lambda request: self.model.reply_to(request), ModelRequest(messages))

A request without it is not sent, and ends the trial with an error.
"""

from pathlib import Path

from tests.controlplane.model_endpoints.phonebook_endpoint import (
    PHONEBOOK_RUN,
    phonebook_endpoint,
)
from tests.support.phonebook_model import respond_with_usage


def test_a_request_without_the_session_is_not_sent(tmp_path: Path) -> None:
    """The error says by which line of which file the solver asked."""
    (tmp_path / "direct_solver.py").write_text(
        """\
from controlplane.agent.model import Message
from controlplane.solver import SolverSpec

class DirectSolver:
    def __init__(self, tools):
        self.model = tools.model

    def solve(self, session):
        question = Message(role='user', content='?')
        self.model.complete([question], 'solve')  # This is line 10.

SOLVER = SolverSpec(DirectSolver)
"""
    )

    with phonebook_endpoint(tmp_path, respond_with_usage) as endpoint:
        run = endpoint.command(
            *PHONEBOOK_RUN, "--limit", "1", "--agent", "direct_solver", "--json"
        )

    assert endpoint.server.asked == []
    assert run.code == 1
    (trial,) = run.json["trials"]
    assert (
        "session.ask(...), which counts and records it (direct_solver.py, line 10)"
    ) in trial["reason"]
