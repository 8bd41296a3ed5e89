"""Two benchmarks of the documentation, `docs/examples/errands.py` and `helpdesk.py`, can be solved.

A reader of the documentation may copy these programs.
"""

from pathlib import Path

import controlplane


def test_the_example_of_errands_plays_with_its_metrics(tmp_path: Path) -> None:
    """The benchmark has a list of right calls for each of its two tasks. A run without a model
    makes these calls. The grader counts the calls, and the turns in which the user says something:

        task         calls    turns
        breakfast    4        3
        snack        1        2
        mean         2.5      2.5
    """
    from docs.examples.errands import Errands

    run = controlplane.run(Errands(), runs_dir=str(tmp_path))

    assert run.mean == 1.0, run.trials
    assert run.metrics == {"calls": 2.5, "turns": 2.5}


def test_the_example_of_a_help_desk_is_solved_by_resuming_and_restarting() -> None:
    """The agent resumes the customer's telephone line. Then the customer restarts the telephone."""
    from docs.examples.helpdesk import HelpDesk

    benchmark = HelpDesk()
    _instruction, environment = benchmark.generate("no-network")

    is_solved_before, _reasons, _metrics = benchmark.grade("no-network", environment)
    environment.call("resume_line", {"customer": "C7"})  # the agent
    environment.state["is_restarted"] = True  # the customer
    is_solved_after, _reasons, _metrics = benchmark.grade("no-network", environment)

    assert is_solved_before is False
    assert is_solved_after is True
