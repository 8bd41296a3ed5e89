"""`fork --step 2 --prompt mine` plays a trial again from its step 2, with the user's own prompts.

`mine` is a folder with prompts. The fixture `fork_original` forks the recorded trial `original`. A
scripted model gives the fork the same replies.
"""

import shutil
from pathlib import Path
from typing import Any

import pytest

from controlplane import open_journal
from controlplane.agent.record.trial_record import TrialRecord
from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.errors import ReplayDiverged, UsageError
from controlplane.journal.trial_reader import RecordedTrial
from tests.support.command import (
    CommandResult,
    CommandRunner,
    check_error_line,
    run_in_process,
)
from tests.support.product_files import ROOT


@pytest.fixture(scope="session")
def runs_of_rejection(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder `runs` with the run "first", which has this trial."""
    folder = tmp_path_factory.mktemp("played")
    model = ("--model", f"scripted:{ROOT}/docs/examples/rejection.toml")
    command = ("run", "calendar-date.1", *model, "--name", "first")
    assert run_in_process(*command, cwd=folder).code == 0
    return folder / "runs"


@pytest.fixture
def original(
    runs_of_rejection: Path, tmp_path: Path, run_command_here: CommandRunner
) -> RecordedTrial:
    """The trial, whose journal is in the folder `runs` of the working folder."""
    shutil.copytree(runs_of_rejection, tmp_path / "runs")
    (path,) = Path("runs").glob("*.jsonl")
    (trial,) = open_journal(path).trials.values()
    return trial


@pytest.fixture
def fork_original(
    original: RecordedTrial, run_command_here: CommandRunner
) -> CommandRunner:
    """A function that forks the trial: `fork_original("--step", "2", "--json")`."""

    def fork(*options: str) -> CommandResult:
        return run_command_here("fork", "first", "--trial", "calendar", *options)

    return fork


# The trial of a fork, from its journal.


def only_trial(forked: CommandResult) -> RecordedTrial:
    """Return the trial of a fork that was called with `--json`, which names the journal."""
    (trial,) = open_journal(Path(forked.json["journal"])).trials.values()
    return trial


# `fork --note TEXT` shows the model a text of the user, to see what it changes.
#
# `fork first --trial calendar --step 3 --note "..."` repeats the replies of steps 1 and 2, shows the note,
# and asks the model for the reply of step 3.


def are_replies_copies(record: TrialRecord) -> list[bool]:
    """Return for each reply of a fork whether it is a copy from the recorded trial.

    `[True, False]`: the model was asked for the second reply only, and only that one costs money.
    """
    are_copies: list[bool] = []
    for step in record.whole_steps:
        for reply in step.replies:
            are_copies.append(reply.cached)
    return are_copies


def test_a_note_at_step_1_is_added_to_the_first_message(
    fork_original: CommandRunner,
) -> None:
    note = "Answer with the date alone."

    forked = fork_original("--step", "1", "--note", note, "--json")

    record = only_trial(forked).record
    assert record.initial_prompt is not None
    assert record.initial_prompt.first_message[-1].endswith(note)
    assert are_replies_copies(record) == [False, False, False]


def test_a_note_at_a_later_step_is_added_to_the_feedback_before_it(
    fork_original: CommandRunner,
) -> None:
    """Feedback is what the model is told after a step. That of step 2 comes before step 3."""
    note = "Answer with the date alone."

    forked = fork_original("--step", "3", "--note", note, "--json")

    record = only_trial(forked).record
    _step_1, step_2, _step_3 = record.step_summaries
    assert step_2.feedback[-1].endswith(note)
    assert are_replies_copies(record) == [True, True, False]


# A fork is refused if the world of its trial cannot be rebuilt as it was.
#
# The recorded calls are made again, and have to give the same results. The trial has called the shop's
# clock, /bin/date, in step 1.


def test_a_fork_is_refused_if_the_clock_gives_another_time(
    fork_original: CommandRunner, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The fork is refused before it starts, so it has no journal."""
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
    assert len(list(Path("runs").glob("*.jsonl"))) == 1  # of the run "first"


# A fork plays the rest of a recorded trial again, as often as `--repeats` says.
#
#     controlplane fork first --trial calendar --step 3 --repeats 10
#
# repeats steps 1 and 2 of a trial of the run "first" from its journal. From step 3 on a model replies
# again, the same one or another. The fixture `fork_original` calls this command with further options.
# The original is a trial of three steps, whose answer is right.

ANOTHER_MODEL = ("--model", f"scripted:{ROOT}/tests/support/long_trial.toml")
"""A model that does not solve the task."""


def test_a_fork_with_repeats_prints_how_often_the_trial_succeeds_now(
    fork_original: CommandRunner,
) -> None:
    forked = fork_original("--step", "3", "--repeats", "3")

    # The share of right tries, and its confidence interval of 95 %, by the method of Wilson.
    success_rate = "which scored 1.00: 3 of 3 tries right now, 1.000 [0.439, 1.000]"
    assert success_rate in forked.out


def test_a_fork_with_another_model_prints_its_success_and_its_parent_as_json(
    fork_original: CommandRunner,
    original: RecordedTrial,
    run_command_here: CommandRunner,
) -> None:
    forked = fork_original("--step", "2", *ANOTHER_MODEL, "--json")

    assert forked.json["success"]["mean"] == 0.0
    assert forked.json["parent"] == {
        "run": original.journal.run,
        "trial": original.trial_id,
        "step": 2,
        "score": 1.0,  # of the recorded trial
    }
    # A fork is a run with a journal of its own, which can be shown.
    assert run_command_here("show", "last").code == 0


def test_a_fork_can_be_neither_rerun_nor_forked(
    fork_original: CommandRunner, run_command_here: CommandRunner
) -> None:
    """The trial of a fork begins in the middle, so it has no first steps to play again."""
    fork_original("--step", "2", *ANOTHER_MODEL, "--json")

    rerun = run_command_here("rerun", "last")
    forked_again = run_command_here(
        "fork", "last", "--trial", "calendar", "--step", "1"
    )

    check_error_line(rerun, UsageError.exit_code, "is a fork")
    check_error_line(forked_again, UsageError.exit_code, "is a fork")


@pytest.fixture
def own_prompts(tmp_path: Path) -> None:
    """The folder `mine` with the product's prompts. The heading "# The answer" is "# An answer"."""
    shutil.copytree(ROOT / "prompts", tmp_path / "mine")
    system_file = tmp_path / "mine/system.md"
    text = system_file.read_text("utf-8")
    system_file.write_text(text.replace("# The answer", "# An answer"), "utf-8")


@pytest.mark.usefixtures("own_prompts")
def test_a_fork_with_another_prompt_keeps_everything_else(
    original: RecordedTrial,
    fork_original: CommandRunner,
    run_command_here: CommandRunner,
) -> None:
    """Only the heading differs. The first message and all replies are those of the trial."""
    forked = fork_original("--step", "2", "--prompt", "mine", "--json")

    old = original.record
    new = only_trial(forked).record
    assert old.initial_prompt is not None
    assert new.initial_prompt is not None
    assert "# The answer" in old.initial_prompt.system
    new_system = old.initial_prompt.system.replace("# The answer", "# An answer")
    assert new.initial_prompt.system == new_system
    assert new.initial_prompt.first_message == old.initial_prompt.first_message
    old_replies = [step.reply for step in old.step_summaries]
    assert [step.reply for step in new.step_summaries] == old_replies
    assert run_command_here("replay", "last", "--verify").code == 0


@pytest.mark.usefixtures("own_prompts")
def test_another_prompt_describes_the_tools_that_the_trial_had(
    fork_original: CommandRunner,
) -> None:
    """A prompt describes the tools that worked when the trial began. When `original` was recorded,
    /bin/sql was out of order, so the prompt of the fork does not describe it."""
    forked = fork_original("--step", "2", "--prompt", "mine", "--json")

    prompt = only_trial(forked).record.initial_prompt
    assert prompt is not None
    assert "/bin/sql" not in prompt.system


def test_a_fork_with_a_missing_prompt_is_refused(fork_original: CommandRunner) -> None:
    refused = fork_original("--step", "2", "--prompt", "absent")

    check_error_line(refused, UsageError.exit_code, "--prompt", "absent")
