"""A benchmark whose user and grader are models, beside the agent.

    agent (role "solve")   "hello"               user (role "user")   "a hat please"
    agent                  "in blue?"            user                 "yes"
    agent                  "done"                user                 "STOP"
    grader (role "grade")  gives the score 0.5

What the models say is recorded, so that a replay, a resumed run and a fork do not ask them again.
The benchmark is in `talk.py`.
"""

from pathlib import Path

import pytest

from controlplane.errors import Interrupted, UsageError
from controlplane.journal.journal_reader import open_journal
from controlplane.journal.recorded_trial import RecordedTrial
from tests.support.command import CommandResult, run_controlplane

AGENT_SCRIPTS = [
    "print(harness.say('hello').reply)",
    "print(harness.say('in blue?').reply)",
    "print(harness.say('done'))",
]
USER_TEXTS = ["a hat please", "yes", "STOP"]
SCORE_TEXT = "0.5"
"""The replies of the three models, in order."""


def replies_file() -> str:
    """Return the text of a file from which all three models take their replies."""
    entries = [f'role = "solve"\ncode = "{script}"' for script in AGENT_SCRIPTS]
    entries += [f'role = "user"\ntext = "{text}"' for text in USER_TEXTS]
    entries.append(f'role = "grade"\ntext = "{SCORE_TEXT}"')
    return "\n".join(f"[[reply]]\n{entry}" for entry in entries)


CONVERSATION = ["hello", "a hat please", "in blue?", "yes", "done", "STOP"]
"""What agent and user say in turn."""
RUN_TALK = (
    "run",
    "--benchmark",
    "talk",
    "--model",
    "scripted:replies.toml",
    "--json",
    "--quiet",
)
"""The command that lets the three models talk."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the benchmark `talk.py`, and with the replies of all three models."""
    program = Path(__file__).with_name("talk.py")
    (tmp_path / "talk.py").write_text(program.read_text())
    (tmp_path / "replies.toml").write_text(replies_file())
    return tmp_path


def conversation_of(result: CommandResult) -> list[str]:
    """Return what agent and user have said in the one trial of a run."""
    (trial,) = result.json["trials"]
    first_message_to_user, *texts = trial["details"]
    assert first_message_to_user == "You are a customer. Begin."
    return list(texts)


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
"""A benchmark that brings a player, so that its runs need no model as the agent."""


class TestConversation:
    """The agent, the user and the grader are models, which reply from a file.

    The agent says "hello", "in blue?" and "done"; the user replies "a hat please", "yes" and
    "STOP", which ends the conversation; the grader gives 0.5.
    """

    def test_user_and_grader_are_models_whose_replies_are_counted(
        self, folder: Path
    ) -> None:
        """The agent and the user say three things each; then the grader gives the score 0.5."""
        run = run_controlplane(*RUN_TALK, cwd=folder)

        assert run.code == 0, run.err
        (trial,) = run.json["trials"]
        assert trial["score"] == 0.5
        assert trial["state"] == "answered"
        assert trial["answer"] == ""
        assert conversation_of(run) == CONVERSATION
        replies_by_role = {}
        for role, usage in run.json["roles"].items():
            replies_by_role[role] = usage["replies"]
        assert replies_by_role == {"solve": 3, "user": 3, "grade": 1}

    def test_a_conversation_is_replayed_and_graded_again_from_the_record(
        self, folder: Path
    ) -> None:
        """No model is asked again: what the user and the grader said is in the journal."""
        journal = run_controlplane(*RUN_TALK, cwd=folder).json["journal"]

        replayed = run_controlplane("replay", journal, "--verify", cwd=folder)
        judged = run_controlplane("judge", journal, "--grader", cwd=folder)

        assert replayed.code == 0, replayed.err
        assert judged.code == 0, judged.err

    def test_a_run_without_a_model_for_the_user_is_refused(self, folder: Path) -> None:
        """The benchmark brings the agent, but not a model that plays the user."""
        (folder / "talk_with_player.py").write_text(TALK_WITH_PLAYER)
        refused = run_controlplane("run", "--benchmark", "talk_with_player", cwd=folder)

        assert refused.code == UsageError.exit_code
        message = "the benchmark asks a model (user): name one with --role user=PROFILE"
        assert message in refused.err


def only_trial(journal: Path) -> RecordedTrial:
    """Return the one trial of a recorded run."""
    (trial,) = open_journal(journal).trials.values()
    return trial


class TestContinuedConversation:
    """A conversation goes on from its journal, and no model is asked twice.

    A resumed run goes on where it was interrupted, a fork at a step of the recorded trial.
    """

    def test_an_interrupted_conversation_goes_on_from_its_record(
        self, folder: Path
    ) -> None:
        """The program gets Ctrl-C when the user has replied twice, and the run is resumed. The
        user's model is asked only for the third reply then; the first two are in the journal."""
        interrupted = run_controlplane(*RUN_TALK, cwd=folder, INTERRUPT_ONCE="1")
        journal = interrupted.json["journal"]
        resumed = run_controlplane("resume", journal, "--json", cwd=folder)

        assert interrupted.code == Interrupted.exit_code, interrupted.err
        assert interrupted.json["roles"]["user"]["replies"] == 2
        assert resumed.code == 0, resumed.err
        assert resumed.json["roles"]["user"]["replies"] == 3
        assert conversation_of(resumed) == CONVERSATION
        trial = only_trial(folder / journal)
        roles = [side.replied.role for side in trial.record.side_replies]
        assert sorted(roles) == ["grade", "user", "user", "user"]

    def test_a_fork_repeats_the_conversation_and_grades_only_its_own_end(
        self, folder: Path
    ) -> None:
        """A fork at step 3 goes on from there, with the first two steps of the recorded trial."""
        run = run_controlplane(*RUN_TALK, cwd=folder, NOTE_GRADING="1")
        place = ("--trial", "talk.1", "--step", "3")
        forked = run_controlplane(
            "fork", run.json["journal"], *place, "--json", cwd=folder, NOTE_GRADING="1"
        )

        assert forked.code == 0, forked.err
        assert conversation_of(forked)[:2] == ["hello", "a hat please"]
        gradings = len((folder / "graded").read_text())
        assert gradings == 2  # of the run, and of the fork
