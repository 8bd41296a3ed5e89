"""A user may replace texts of the initial prompt, and add hints: `run --prompt mine --hints hints.txt`.

The folder `mine` has the user's system prompt, "You are the clerk of a telephone exchange.", beside
the product's other prompts. The model gets both, and the journal keeps them.
"""

from pathlib import Path

import pytest

from controlplane import open_journal
from controlplane.agent.loop import default_prompts
from controlplane.lifecycle.resources.run_solver import recorded_prompts
from tests.controlplane.configuration.own_prompts.prompts_of_runs import (
    OWN_TEXTS,
    newest_journal,
    system_prompts_of_newest_run,
)
from tests.support.command import CommandRunner
from tests.support.phonebook import PHONEBOOK_WITH_PLAYER

pytestmark = pytest.mark.usefixtures("own_prompts")


def test_the_model_gets_the_users_prompt_and_hints(
    run_command_here: CommandRunner, tmp_path: Path
) -> None:
    """The system prompt begins with the user's text and ends with the hints, in each of three
    trials."""
    run = run_command_here("run", *PHONEBOOK_WITH_PLAYER, *OWN_TEXTS, "--quiet")

    assert run.code == 0
    prompts = system_prompts_of_newest_run(tmp_path)
    assert len(prompts) == 3
    for prompt in prompts:
        assert prompt.startswith("You are the clerk of a telephone exchange.")
        assert prompt.endswith("\nNumbers have {{two}} digits.\n")


def test_the_journal_keeps_the_users_prompt_and_hints(
    run_command_here: CommandRunner, tmp_path: Path
) -> None:
    """The other texts are the product's own. The journal also has a hash of all texts, which
    differs from the hash of the product's own texts."""
    run_command_here("run", *PHONEBOOK_WITH_PLAYER, *OWN_TEXTS, "--quiet")

    with open_journal(newest_journal(tmp_path)) as journal:
        recorded = recorded_prompts(journal)
        hashes = {versions.prompts for versions in journal.versions}

    products_texts = default_prompts().texts
    assert recorded is not None
    assert recorded.hints == "Numbers have {{two}} digits.\n"
    system_prompt = "You are the clerk of a telephone exchange.\n\n{{harness}}\n"
    assert recorded.texts == {**products_texts, "system": system_prompt}
    assert default_prompts().digest not in hashes
    assert run_command_here("replay", "last", "--verify").code == 0
