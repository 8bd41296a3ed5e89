"""Two benchmarks of the documentation, in docs/examples, can be solved.

A reader may copy these programs. `Errands` knows the right calls of its tasks, which a run without a
model makes; `HelpDesk` has a customer who acts, too.
"""

from pathlib import Path

import controlplane


def test_the_example_of_errands_plays_with_its_metrics(tmp_path: Path) -> None:
    """The documentation shows this benchmark; its grader also counts calls and turns."""
    from docs.examples.errands import Errands

    run = controlplane.run(Errands(), runs_dir=str(tmp_path))

    assert run.mean == 1.0, run.trials
    assert run.metrics == {"calls": 2.5, "turns": 2.5}


def test_the_example_of_a_help_desk_is_solved_by_resuming_and_restarting() -> None:
    """The agent resumes the customer's line, and the customer restarts the telephone."""
    from docs.examples.helpdesk import HelpDesk

    benchmark = HelpDesk()
    _, environment = benchmark.generate("no-network")
    is_solved_before, *_ = benchmark.grade("no-network", environment)
    environment.call("resume_line", {"customer": "C7"})
    environment.state["is_restarted"] = True
    is_solved_after, *_ = benchmark.grade("no-network", environment)

    assert is_solved_before is False
    assert is_solved_after is True
