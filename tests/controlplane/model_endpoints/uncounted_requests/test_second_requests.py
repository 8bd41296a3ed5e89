"""An agent of a user asks the model twice in one call of the session, and the second is not sent.

A user may write an agent (a solver). A call of `session.ask` counts and records one reply, so the first
request is sent, and the second one ends the trial with an error.
"""

from pathlib import Path

from tests.controlplane.model_endpoints.phonebook_endpoint import (
    PHONEBOOK_RUN,
    phonebook_endpoint,
)
from tests.support.phonebook_model import respond_with_usage


def test_a_second_request_in_one_call_of_the_session_is_not_sent(
    tmp_path: Path,
) -> None:
    (tmp_path / "repeating_solver.py").write_text(
        """\
from controlplane.agent.model import Message, ModelRequest
from controlplane.solver import SolverSpec

class RepeatingSolver:
    def __init__(self, tools):
        self.model = tools.model

    def solve(self, session):
        question = Message(role='user', content='?')
        session.ask(self.ask_twice, ModelRequest([question]))

    def ask_twice(self, request):
        self.model.reply_to(request)
        return self.model.reply_to(request)  # This is line 14.

SOLVER = SolverSpec(RepeatingSolver)
"""
    )

    with phonebook_endpoint(tmp_path, respond_with_usage) as endpoint:
        run = endpoint.command(
            *PHONEBOOK_RUN, "--limit", "1", "--agent", "repeating_solver", "--json"
        )

    assert len(endpoint.server.asked) == 1
    assert run.code == 1
    (trial,) = run.json["trials"]
    assert (
        "session.ask(...), which counts and records it (repeating_solver.py, line 14)"
    ) in trial["reason"]
