"""`fork --step 2 --prompt mine` plays a trial again from its step 2, with the user's own prompts.

`mine` is a folder with prompts. The fixture `fork_original` forks the recorded trial `original`. A
scripted model gives the fork the same replies.
"""

import shutil
from pathlib import Path

import pytest

from controlplane.errors import UsageError
from controlplane.journal.trial_reader import RecordedTrial
from tests.controlplane.commands.fork.forked_trial import only_trial
from tests.support.command import ROOT, CommandRunner, check_error_line


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
