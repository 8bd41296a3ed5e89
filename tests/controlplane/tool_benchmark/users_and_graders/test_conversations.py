"""A benchmark asks models to play the user and the grader, beside the agent.

The agent says something by `harness.say(text)`, and the user's model replies. All models reply from a
file here, so that the conversation of the benchmark `talk` is

    hello | a hat please | in blue? | yes | done | STOP        score 0.5
"""

import sys
from pathlib import Path

import pytest

from controlplane.errors import Interrupted, UsageError
from controlplane.journal.journal_reader import open_journal
from tests.support.command import CommandResult, run_controlplane, run_in_process

REPLIES = """
[[reply]]
role = "solve"
code = "print(harness.say('hello').reply)"
[[reply]]
role = "user"
text = "a hat please"

[[reply]]
role = "solve"
code = "print(harness.say('in blue?').reply)"
[[reply]]
role = "user"
text = "yes"

[[reply]]
role = "solve"
code = "print(harness.say('done'))"
[[reply]]
role = "user"
text = "STOP"

[[reply]]
role = "grade"
text = "0.5"
"""
"""The replies of the agent (role "solve"), the user and the grader."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the benchmark `talk.py`, and with the replies of all three models."""
    monkeypatch.delitem(sys.modules, "talk", raising=False)
    program = Path(__file__).with_name("talk.py")
    (tmp_path / "talk.py").write_text(program.read_text())
    (tmp_path / "replies.toml").write_text(REPLIES)
    return tmp_path


# The benchmark `talk` with a user who interrupts the run after the second reply, by Ctrl-C.
#
# A test writes this program to a file beside `talk.py`. `Customer` and `Talk` are the user, whom a model
# plays, and the benchmark.

TALK_WITH_INTERRUPT = """
import os
import signal
import time
from pathlib import Path

from controlplane import TaskEnvironment
from talk import Customer, Talk


class InterruptingCustomer(Customer):
    # Replies as a model says. After the reply to "in blue?", sends Ctrl-C to the program, only once.
    def __call__(self, text):
        reply = super().__call__(text)
        was_interrupted = Path("interrupted")
        if text == "in blue?" and not was_interrupted.exists():
            was_interrupted.touch()
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(1)  # until the main thread has seen it
        return reply


class TalkWithInterrupt(Talk):
    def generate(self, task_id):
        customer = InterruptingCustomer(self.context)
        environment = TaskEnvironment(user=customer, state=customer.conversation)
        return "Help the customer.", environment


def open_benchmark(argument, settings, context):
    return TalkWithInterrupt(argument, settings, context)
"""


# Runs of the benchmark `talk`, in which the agent, the user and the grader are models.
#
#     conversation_of(run_talk(folder))    ->    ["hello", "a hat please", "in blue?", "yes", ...]
#
# The fixture `folder` has the benchmark, and a file with the replies of all three models.


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


# A fork repeats a recorded conversation up to a step, goes on from there, and is graded once.
#
# The agent, the user and the grader of the benchmark `talk` are models. What they say is recorded, so
# that the fork at step 3 asks none of them for the first two steps.


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


# A conversation that was interrupted goes on from its journal, and no model is asked twice.
#
# The agent, the user and the grader of the benchmark `talk` are models. The run records each reply of a
# model in its journal. In the program TALK_WITH_INTERRUPT, the user presses Ctrl-C after the second reply.


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


# A run whose benchmark asks a model to play the user is refused if no such model is named.
#
# the benchmark asks a model (user): name one with --role user=PROFILE

TALK_WITH_PLAYER = """
from pathlib import Path

from controlplane.agent.model import ScriptedModel
from talk import Talk


class TalkWithPlayer(Talk):
    def player(self):
        return ScriptedModel.from_file(Path("replies.toml"))


def open_benchmark(argument, settings, context):
    return TalkWithPlayer(argument, settings, context)
"""
"""The benchmark brings the agent, as its player, but no model that plays the user."""


def test_a_run_without_a_model_for_the_user_is_refused(folder: Path) -> None:
    (folder / "talk_with_player.py").write_text(TALK_WITH_PLAYER)
    refused = run_in_process("run", "--benchmark", "talk_with_player", cwd=folder)

    assert refused.code == UsageError.exit_code
    message = "the benchmark asks a model (user): name one with --role user=PROFILE"
    assert message in refused.err


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
