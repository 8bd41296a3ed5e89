"""Runs of the benchmark `talk`, in which the agent, the user and the grader are models.

    conversation_of(run_talk(folder))    ->    ["hello", "a hat please", "in blue?", "yes", ...]

The fixture `folder` has the benchmark, and a file with the replies of all three models.
"""

from pathlib import Path

from tests.support.command import CommandResult, run_in_process


def run_talk(folder: Path) -> CommandResult:
    """Run the one task of the benchmark. `result.json` is what the run has printed."""
    return run_in_process(
        "run",
        "--benchmark=talk",
        "--model=scripted:replies.toml",
        "--json",
        "--quiet",
        cwd=folder,
    )


def conversation_of(result: CommandResult) -> list[str]:
    """Return what agent and user have said in the one trial of a run: `["hello", ...]`."""
    (trial,) = result.json["trials"]
    first_message_to_user, *texts = trial["details"]
    assert first_message_to_user == "You are a customer. Begin."
    return list(texts)
