"""A solver, Python code in place of a model, gets the result of a tool as data.

For example:

    session.call("read_mail", {})["value"]    ->    [{"from": "bob@site.com", "body": "Hello."}]
"""

from pathlib import Path

import controlplane
from controlplane import Task, Tool
from controlplane.agent.loop import TrialSession
from controlplane.gates.submission import Submission
from controlplane.solver import SolverSpec


class AnswerSender:
    """A solver, which is Python code in place of a model. It answers who sent the mail."""

    def solve(self, session: TrialSession) -> str:
        mail = session.call("read_mail", {})["value"][0]
        session.submit(Submission(answer=mail["from"], outcome="OUTCOME_OK"))
        return ""


# The option `agent` names a module that has a solver under this name.
SOLVER = SolverSpec(lambda tools: AnswerSender(), roles=())


def test_a_solver_gets_the_result_of_a_tool_as_data(tmp_path: Path) -> None:
    """A list of dicts comes as such, as in scripts, and not as a text of JSON."""

    def read_mail() -> list[dict[str, str]]:
        """Read the last mail."""
        return [{"from": "bob@site.com", "body": "Hello."}]

    task = Task("read.1", "Who wrote?", tools=[Tool(read_mail, "returns")])

    run = controlplane.run([task], agent=__name__, runs_dir=str(tmp_path), gates="none")

    assert run.trials[0].answer == "bob@site.com"
