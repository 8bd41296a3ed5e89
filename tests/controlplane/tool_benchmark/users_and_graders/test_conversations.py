"""A benchmark asks models to play the user and the grader, beside the agent.

The agent says something by `harness.say(text)`, and the user's model replies. All models reply from a
file here, so that the conversation of the benchmark `talk` is

    hello | a hat please | in blue? | yes | done | STOP        score 0.5
"""

from pathlib import Path

from tests.controlplane.tool_benchmark.users_and_graders.talk_runs import (
    conversation_of,
    run_talk,
)
from tests.support.command import run_in_process


def test_user_and_grader_are_models_whose_replies_are_counted(folder: Path) -> None:
    run = run_talk(folder)

    assert run.code == 0, run.err
    (trial,) = run.json["trials"]
    assert trial["score"] == 0.5
    assert trial["state"] == "answered"
    assert trial["answer"] == ""
    texts = ["hello", "a hat please", "in blue?", "yes", "done", "STOP"]
    assert conversation_of(run) == texts
    replies_by_role = {}
    for role, usage in run.json["roles"].items():
        replies_by_role[role] = usage["replies"]
    assert replies_by_role == {"solve": 3, "user": 3, "grade": 1}


def test_a_conversation_is_replayed_and_graded_again_from_the_record(
    folder: Path,
) -> None:
    """No model can be asked again: the file with the replies is gone."""
    run_talk(folder)
    (folder / "replies.toml").unlink()

    replayed = run_in_process("replay", "last", "--verify", cwd=folder)
    judged = run_in_process("judge", "last", "--grader", cwd=folder)

    assert replayed.code == 0, replayed.err
    assert judged.code == 0, judged.err
