"""A benchmark whose user and grader are models, beside the agent: `talk.py`.

What the models say is recorded, so that a replay, a resumed run and a fork do not ask them again.
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

RUN_OPTIONS = ("--model", "scripted:replies.toml", "--json", "--quiet")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the benchmark `talk.py`, and with the replies of all three models."""
    monkeypatch.delitem(sys.modules, "talk", raising=False)
    program = Path(__file__).with_name("talk.py")
    (tmp_path / "talk.py").write_text(program.read_text())
    (tmp_path / "replies.toml").write_text(REPLIES)
    return tmp_path


def conversation_of(result: CommandResult) -> list[str]:
    """Return what agent and user have said in the one trial of a run: `["hello", ...]`."""
    (trial,) = result.json["trials"]
    first_message_to_user, *texts = trial["details"]
    assert first_message_to_user == "You are a customer. Begin."
    return list(texts)


class TestConversation:
    """The agent, the user and the grader are models, which reply from a file."""

    def test_user_and_grader_are_models_whose_replies_are_counted(
        self, folder: Path
    ) -> None:
        run = run_in_process("run", "--benchmark", "talk", *RUN_OPTIONS, cwd=folder)

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
        self, folder: Path
    ) -> None:
        """No model can be asked again: the file with the replies is gone."""
        run_in_process("run", "--benchmark", "talk", *RUN_OPTIONS, cwd=folder)
        (folder / "replies.toml").unlink()

        replayed = run_in_process("replay", "last", "--verify", cwd=folder)
        judged = run_in_process("judge", "last", "--grader", cwd=folder)

        assert replayed.code == 0, replayed.err
        assert judged.code == 0, judged.err

    def test_a_run_without_a_model_for_the_user_is_refused(self, folder: Path) -> None:
        """The benchmark brings the agent, as its player, but no model that plays the user."""
        (folder / "talk_with_player.py").write_text("""
from pathlib import Path

from controlplane.agent.model import ScriptedModel
from talk import Talk


class TalkWithPlayer(Talk):
    def player(self):
        return ScriptedModel.from_file(Path("replies.toml"))


def open_benchmark(argument, settings, context):
    return TalkWithPlayer(argument, settings, context)
""")
        refused = run_in_process("run", "--benchmark", "talk_with_player", cwd=folder)

        assert refused.code == UsageError.exit_code
        message = "the benchmark asks a model (user): name one with --role user=PROFILE"
        assert message in refused.err


TALK_WITH_INTERRUPT = """
import os
import signal
import time
from pathlib import Path

from controlplane import TaskEnvironment
from talk import Customer, Talk


class InterruptingCustomer(Customer):
    # Sends Ctrl-C to the program when the user has replied for the second time, and only once.
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


class TestContinuedConversation:
    """A conversation goes on from its journal, and no model is asked twice."""

    def test_an_interrupted_conversation_goes_on_from_its_record(
        self, folder: Path
    ) -> None:
        """The user's model is asked only for the third reply after the run is resumed. The first
        two are in the journal."""
        (folder / "talk_with_interrupt.py").write_text(TALK_WITH_INTERRUPT)
        run = ("run", "--benchmark", "talk_with_interrupt", *RUN_OPTIONS)

        interrupted = run_controlplane(*run, cwd=folder)
        journal = interrupted.json["journal"]
        resumed = run_controlplane("resume", journal, "--json", cwd=folder)

        assert interrupted.code == Interrupted.exit_code, interrupted.err
        assert interrupted.json["roles"]["user"]["replies"] == 2
        assert resumed.code == 0, resumed.err
        assert resumed.json["roles"]["user"]["replies"] == 3
        texts = ["hello", "a hat please", "in blue?", "yes", "done", "STOP"]
        assert conversation_of(resumed) == texts
        (trial,) = open_journal(folder / journal).trials.values()
        roles = [side.replied.role for side in trial.record.side_replies]
        assert sorted(roles) == ["grade", "user", "user", "user"]

    def test_a_fork_repeats_the_conversation_and_grades_only_its_own_end(
        self, folder: Path
    ) -> None:
        """A fork at step 3 goes on from there, with the first two steps of the recorded trial."""
        run_in_process("run", "--benchmark", "talk", *RUN_OPTIONS, cwd=folder)

        step_3 = ("--trial", "talk.1", "--step", "3")
        forked = run_in_process("fork", "last", *step_3, "--json", cwd=folder)

        assert forked.code == 0, forked.err
        assert conversation_of(forked)[:2] == ["hello", "a hat please"]
        gradings = (folder / "gradings").read_text()
        assert gradings == "talk.1\ntalk.1\n"  # of the run, and of the fork
