"""A fork repeats a recorded conversation up to a step, goes on from there, and is graded once.

The agent, the user and the grader of the benchmark `talk` are models. What they say is recorded, so
that the fork at step 3 asks none of them for the first two steps.
"""

from pathlib import Path

from tests.controlplane.tool_benchmark.users_and_graders.talk_runs import (
    conversation_of,
    run_talk,
)
from tests.support.command import run_in_process


def test_a_fork_repeats_the_conversation_and_grades_only_its_own_end(
    folder: Path,
) -> None:
    """A fork at step 3 goes on from there, with the first two steps of the recorded trial."""
    run_talk(folder)

    step_3 = ("--trial", "talk.1", "--step", "3")
    forked = run_in_process("fork", "last", *step_3, "--json", cwd=folder)

    assert forked.code == 0, forked.err
    assert conversation_of(forked)[:2] == ["hello", "a hat please"]
    gradings = (folder / "gradings").read_text()
    assert gradings == "talk.1\ntalk.1\n"  # of the run, and of the fork
