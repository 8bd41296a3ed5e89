"""`fork` goes on with a recorded trial at one of its steps.

`fork last --trial t1 --step 3` repeats steps 1 and 2 from the journal, without asking a model, and
rebuilds the world as it was. From step 3 on a model replies again: the same or another one, with
another prompt, or with a note of the user. `--repeats 10` shows how often the trial succeeds now.
"""

import shutil
from pathlib import Path
from typing import Any

import pytest

from controlplane import open_journal
from controlplane.agent.record.trial_record import TrialRecord
from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.errors import ReplayDiverged, UsageError
from controlplane.journal.recorded_trial import RecordedTrial
from tests.support.command import (
    ROOT,
    CommandResult,
    CommandRunner,
    check_error_line,
    run_in_process,
)


@pytest.fixture(scope="module")
def runs_of_rejection(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder `runs` with the run "first", which has one trial of three steps:

    step 1   the model's script reads the clock
    step 2   submits an answer that a *gate*, a check of answers, rejects
    step 3   submits the right answer, for a score of 1
    """
    folder = tmp_path_factory.mktemp("played")
    model = ("--model", f"scripted:{ROOT}/docs/examples/rejection.toml")
    command = ("run", "calendar-date.1", *model, "--name", "first")
    assert run_in_process(*command, cwd=folder).code == 0
    return folder / "runs"


@pytest.fixture
def original(
    runs_of_rejection: Path, tmp_path: Path, run_command_here: CommandRunner
) -> RecordedTrial:
    """The trial of three steps in the run "first", whose journal is in the working folder."""
    shutil.copytree(runs_of_rejection, tmp_path / "runs")
    (path,) = Path("runs").glob("*.jsonl")
    (trial,) = open_journal(path).trials.values()
    return trial


@pytest.fixture
def fork_original(
    original: RecordedTrial, run_command_here: CommandRunner
) -> CommandRunner:
    """A function that forks the trial of three steps: `fork_original("--step", "2", "--json")`."""

    def fork(*options: str) -> CommandResult:
        return run_command_here("fork", "first", "--trial", "calendar", *options)

    return fork


ANOTHER_MODEL = ("--model", f"scripted:{ROOT}/tests/support/long_trial.toml")
"""A model that does not solve the task."""


class TestRepeats:
    """A fork plays the rest of the trial again, as often as `--repeats` says.

    `original` is a trial of three steps with the score 1: its script reads the clock, submits
    an answer that a check (a gate) rejects, and submits the right one.
    """

    def test_a_fork_with_repeats_prints_how_often_the_trial_succeeds_now(
        self, fork_original: CommandRunner
    ) -> None:
        """The last step is played three times, and is right each time: a share of 1.000. Behind it
        is its confidence interval of 95 %, by the method of Wilson."""
        forked = fork_original("--step", "3", "--repeats", "3")

        success_rate = "which scored 1.00: 3 of 3 tries right now, 1.000 [0.439, 1.000]"
        assert success_rate in forked.out

    def test_a_fork_with_another_model_prints_its_success_and_its_parent_as_json(
        self,
        fork_original: CommandRunner,
        original: RecordedTrial,
        run_command_here: CommandRunner,
    ) -> None:
        """The other model replies from step 2 on, and does not solve the task, so the share of
        right tries ("mean") is 0. The parent is the forked trial, whose score is 1."""
        forked = fork_original("--step", "2", *ANOTHER_MODEL, "--json")

        assert forked.json["success"]["mean"] == 0.0
        assert forked.json["parent"] == {
            "run": original.journal.run,
            "trial": original.trial_id,
            "step": 2,
            "score": 1.0,
        }
        assert run_command_here("show", "last").code == 0

    def test_a_fork_can_be_neither_rerun_nor_forked(
        self, fork_original: CommandRunner, run_command_here: CommandRunner
    ) -> None:
        """The trial of a fork begins in the middle. The user is to fork the run "first" again
        instead."""
        fork_original("--step", "2", *ANOTHER_MODEL, "--json")

        rerun = run_command_here("rerun", "last")
        forked_again = run_command_here("fork", "last", "--trial", "cal", "--step", "1")

        check_error_line(rerun, UsageError.exit_code, "is a fork")
        check_error_line(forked_again, UsageError.exit_code, "is a fork")


def only_trial(result: CommandResult) -> RecordedTrial:
    """Return the trial of a fork from the journal that the command names with `--json`."""
    (trial,) = open_journal(Path(result.json["journal"])).trials.values()
    return trial


def cached_replies(record: TrialRecord) -> list[bool]:
    """Return for each reply of a fork whether it is a copy from the forked trial.

    `[True, False]`: the model was asked for the second reply only, and only that one costs money.
    """
    cached = []
    for step in record.whole_steps:
        for reply in step.replies:
            cached.append(reply.cached)
    return cached


NOTE = "Answer with the date alone."
"""A text of the user that a fork shows to the model, to see what it changes."""


class TestNotes:
    """`--note TEXT` shows the model a text of the user, to see what it changes.

    `fork first --trial calendar --step 3 --note "..."` repeats the replies of steps 1 and 2,
    shows the note, and asks the model for the reply of step 3.
    """

    def test_a_note_at_step_1_is_added_to_the_first_message(
        self, fork_original: CommandRunner
    ) -> None:
        """Nothing before step 1 could be repeated, so the model is asked for all three replies."""
        forked = fork_original("--step", "1", "--note", NOTE, "--json")
        record = only_trial(forked).record

        assert record.initial_prompt is not None
        assert record.initial_prompt.first_message[-1].endswith(NOTE)
        assert cached_replies(record) == [False, False, False]

    def test_a_note_at_a_later_step_is_added_to_the_feedback_before_it(
        self, fork_original: CommandRunner
    ) -> None:
        """Feedback is what the model is told after a step. The note stands before step 3, so it is
        in the feedback of step 2, and the replies of steps 1 and 2 are copies."""
        forked = fork_original("--step", "3", "--note", NOTE, "--json")
        record = only_trial(forked).record

        assert record.initial_prompt is not None
        feedback_after_step_2 = record.step_summaries[1].feedback
        assert feedback_after_step_2[-1].endswith(NOTE)
        assert cached_replies(record) == [True, True, False]


@pytest.fixture
def fork_with_own_prompt(fork_original: CommandRunner, tmp_path: Path) -> RecordedTrial:
    """A fork with a prompt of the user's own: `--prompt mine` names a folder with a copy of the
    product's prompts, in which the heading "# The answer" is "# An answer"."""
    shutil.copytree(ROOT / "prompts", tmp_path / "mine")
    system_file = tmp_path / "mine" / "system.md"
    text = system_file.read_text("utf-8")
    system_file.write_text(text.replace("# The answer", "# An answer"), "utf-8")

    return only_trial(fork_original("--step", "2", "--prompt", "mine", "--json"))


class TestOwnPrompts:
    """`--prompt mine` names a folder with prompts of the user, for the steps from here on.

    In the copy of the product's prompts, the heading "# The answer" is "# An answer".
    """

    def test_a_fork_with_another_prompt_keeps_the_conversation_after_it(
        self,
        original: RecordedTrial,
        fork_with_own_prompt: RecordedTrial,
        run_command_here: CommandRunner,
    ) -> None:
        """Only the heading differs; the first message and all replies are those of the trial."""
        old = original.record
        new = fork_with_own_prompt.record

        assert old.initial_prompt is not None
        assert new.initial_prompt is not None
        assert "# The answer" in old.initial_prompt.system
        new_system = old.initial_prompt.system.replace("# The answer", "# An answer")
        assert new.initial_prompt.system == new_system
        assert new.initial_prompt.first_message == old.initial_prompt.first_message
        old_replies = [step.reply for step in old.step_summaries]
        assert [step.reply for step in new.step_summaries] == old_replies
        assert run_command_here("replay", "last", "--verify").code == 0

    def test_another_prompt_describes_the_tools_that_the_trial_had(
        self, fork_with_own_prompt: RecordedTrial
    ) -> None:
        """A prompt describes a tool of the shop only if the tool works when the trial begins. The
        tool /bin/sql did not work in the recorded trial."""
        prompt = fork_with_own_prompt.record.initial_prompt

        assert prompt is not None
        assert "/bin/sql" not in prompt.system

    def test_a_fork_with_a_missing_prompt_is_refused(
        self, fork_original: CommandRunner
    ) -> None:
        """`--prompt none` names a folder that does not exist."""
        refused = fork_original("--step", "2", "--prompt", "none")

        check_error_line(refused, UsageError.exit_code, "--prompt", "none")


class TestLostWorlds:
    """A fork is refused if the world of its trial cannot be rebuilt as it was.

    The recorded trial has called the shop's clock in step 1. Before a fork goes on at step 2, the
    call is made again, and has to give the same time.
    """

    def test_a_fork_is_refused_if_its_world_cannot_be_rebuilt(
        self,
        fork_original: CommandRunner,
        original: RecordedTrial,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        """To rebuild the world, the recorded calls are made again, and have to give the same
        results.

        Here the shop's clock /bin/date, which the trial called in step 1, gives another time. The
        fork is refused before it starts, so it has no journal."""
        journal_folder = original.journal.path.parent
        journals_before = sorted(journal_folder.glob("*.jsonl"))
        original_call = EcomEnvironment.call

        def call_with_other_time(
            environment: EcomEnvironment, operation: str, arguments: dict[str, Any]
        ) -> dict[str, Any]:
            result = original_call(environment, operation, arguments)
            if "/bin/date" in arguments.values():
                return result | {"stdout": "another time"}
            return result

        monkeypatch.setattr(EcomEnvironment, "call", call_with_other_time)
        refused = fork_original("--step", "2")

        check_error_line(
            refused,
            ReplayDiverged.exit_code,
            "cannot be rebuilt as it was",
            "gives another result",
        )
        assert sorted(journal_folder.glob("*.jsonl")) == journals_before
