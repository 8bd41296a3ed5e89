"""An agent that cannot solve anything is refused before the run begins.

`run --agent forgetful_solver` imports the user's `forgetful_solver.py`. It has a `SOLVER` with a
function that opens the agent, an object with a method `solve`, which works on a task. Here it
forgets to return one.
"""

from pathlib import Path

from controlplane.errors import UsageError
from tests.support.command import check_error_line, run_in_process


def test_an_agent_that_cannot_solve_is_refused_before_the_run_begins(
    tmp_path: Path,
) -> None:
    (tmp_path / "forgetful_solver.py").write_text("""
from controlplane.solver import SolverSpec

def open_agent(tools):
    return None

SOLVER = SolverSpec(open_agent, roles=())
""")

    refused = run_in_process(
        "run", "--limit", "1", "--agent", "forgetful_solver", cwd=tmp_path
    )

    message = "the agent 'forgetful_solver' opens None, which has no solve(session)"
    check_error_line(refused, UsageError.exit_code, message)
