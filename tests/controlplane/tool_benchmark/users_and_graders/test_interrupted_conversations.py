"""A conversation that was interrupted goes on from its journal, and no model is asked twice.

The agent, the user and the grader of the benchmark `talk` are models. The run records each reply of a
model in its journal. In the program TALK_WITH_INTERRUPT, the user presses Ctrl-C after the second reply.
"""

from pathlib import Path

from controlplane.errors import Interrupted
from controlplane.journal.journal_reader import open_journal
from tests.controlplane.tool_benchmark.users_and_graders.interrupting_user import (
    TALK_WITH_INTERRUPT,
)
from tests.controlplane.tool_benchmark.users_and_graders.talk_runs import (
    conversation_of,
)
from tests.support.command import run_controlplane


def test_an_interrupted_conversation_goes_on_from_its_record(folder: Path) -> None:
    """The user's model replies three times: twice before the interrupt, and once when resumed.

    Had the resumed run asked again for the first two replies, the journal would have five.
    """
    (folder / "talk_with_interrupt.py").write_text(TALK_WITH_INTERRUPT)

    interrupted = run_controlplane(
        "run",
        "--benchmark=talk_with_interrupt",
        "--model=scripted:replies.toml",
        "--json",
        "--quiet",
        cwd=folder,
    )
    journal = interrupted.json["journal"]
    resumed = run_controlplane("resume", journal, "--json", cwd=folder)

    assert interrupted.code == Interrupted.exit_code, interrupted.err
    assert interrupted.json["roles"]["user"]["replies"] == 2
    assert resumed.code == 0, resumed.err
    assert resumed.json["roles"]["user"]["replies"] == 3
    texts = ["hello", "a hat please", "in blue?", "yes", "done", "STOP"]
    assert conversation_of(resumed) == texts
    # All replies in the journal, of both runs, but those of the agent.
    (trial,) = open_journal(folder / journal).trials.values()
    roles = [side.replied.role for side in trial.record.side_replies]
    assert sorted(roles) == ["grade", "user", "user", "user"]
