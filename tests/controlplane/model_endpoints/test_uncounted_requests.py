"""An agent of a user cannot ask the model past the record and the limits of a run.

A user may write an agent (a solver). It has to ask the model by `session.ask`, which records one
reply, and counts its cost:

    session.ask(lambda request: self.model.reply_to(request), ModelRequest(messages))

A request that is not counted ends the trial with an error.
"""

import sys
from pathlib import Path

import pytest

from tests.controlplane.model_endpoints.phonebook_endpoint import (
    A_TRIAL_FAILED,
    PHONEBOOK_RUN,
    phonebook_endpoint,
)
from tests.support.phonebook_model import respond_with_usage


def solver_source(forbidden_line: str) -> str:
    """Return the module of a solver that solves each trial by this line of Python."""
    return f"""\
from controlplane.agent.model import Message, ModelRequest
from controlplane.solver import SolverSpec

messages = [Message(role='user', content='?')]

class Solver:
    def __init__(self, tools):
        self.model = tools.model

    def solve(self, session):
        {forbidden_line}  # This is line 11.

SOLVER = SolverSpec(Solver)
"""


@pytest.mark.parametrize(
    ("forbidden_line", "sent_requests"),
    [
        pytest.param(
            "[self.model.complete(messages, 'solve') for _ in range(5)]",
            0,  # None is counted, so the first is refused.
            id="without its session",
        ),
        pytest.param(
            "session.ask(lambda request: "
            "[self.model.reply_to(request) for _ in range(5)][0], ModelRequest(messages))",
            1,  # A call of `ask` counts one, so the first is sent, and the second is refused.
            id="five times in one call",
        ),
    ],
)
def test_a_solver_cannot_ask_the_model_uncounted(
    forbidden_line: str, sent_requests: int, tmp_path: Path
) -> None:
    """The first request that is not counted is not sent. The error names the line of the solver.

    The line asks five times. The one task is played twice (`--repeats 2`).
    """
    solver_file = tmp_path / "uncounted_solver.py"
    solver_file.write_text(solver_source(forbidden_line))
    sys.modules.pop("uncounted_solver", None)  # the module of the other case

    with phonebook_endpoint(tmp_path, respond_with_usage) as endpoint:
        result = endpoint.command(
            *PHONEBOOK_RUN,
            "--agent",
            "uncounted_solver",
            "--limit",
            "1",
            "--repeats",
            "2",
            "--concurrency",
            "1",
            "--run-cost",
            "1",
            "--prices",
            '{"input": 1, "output": 10}',
            "--json",
        )

    assert result.code == A_TRIAL_FAILED
    assert len(endpoint.server.asked) == 2 * sent_requests
    assert (
        "session.ask(...), which counts and records it (uncounted_solver.py, line 11)"
    ) in result.out
