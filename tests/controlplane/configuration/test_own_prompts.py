"""Texts for the model that are the user's own: `run --prompt FOLDER --hints FILE`.

The folder replaces texts of the initial prompt, and the hints are added to it. A journal keeps
both, so that a run is resumed with the texts that it began with, even if the files have changed.
"""

import shlex
import shutil
from pathlib import Path

import pytest

from controlplane import open_journal
from controlplane.agent.loop import default_prompts
from controlplane.agent.loop.prompt_files import FOLDER as PROMPT_FOLDER
from controlplane.errors import BudgetExhausted
from controlplane.lifecycle.resources.run_prompts import recorded_prompts
from tests.support.command import CommandRunner
from tests.support.endpoints import model_server
from tests.support.phonebook import PHONEBOOK_WITH_PLAYER
from tests.support.phonebook_model import respond_with_usage

SUCCESS = 0

OWN_SYSTEM_PROMPT = "You are the clerk of a telephone exchange.\n\n{{harness}}\n"
"""Prompts have placeholders: `{{harness}}` stands for what scripts may call."""
OWN_HINTS = "Numbers have {{two}} digits.\n"
"""Hints have no placeholders, so that the braces stay as they are."""

OWN_TEXTS = ("--prompt", "mine", "--hints", "hints.txt")
"""The options that name both."""


@pytest.fixture
def own_prompts(tmp_path: Path) -> Path:
    """The folder `mine`, which has the product's prompts except for the user's system prompt.

    The hints are beside it, in the working folder.
    """
    prompts = tmp_path / "mine"
    shutil.copytree(PROMPT_FOLDER, prompts)
    (prompts / "system.md").write_text(OWN_SYSTEM_PROMPT, encoding="utf-8")
    (tmp_path / "hints.txt").write_text(OWN_HINTS, encoding="utf-8")
    return prompts


def newest_journal(folder: Path) -> Path:
    """Return the journal of the last run that was started in the folder."""
    journals = folder.glob("runs/*.jsonl")
    return max(journals, key=lambda journal: journal.stat().st_mtime_ns)


def system_prompts_of_newest_run(folder: Path) -> list[str]:
    """Return the system prompt of each trial of the folder's newest run."""
    prompts: list[str] = []
    with open_journal(newest_journal(folder)) as journal:
        for trial in journal.trials.values():
            if trial.initial_prompt is not None:
                prompts.append(trial.initial_prompt.system)
    return prompts


class TestOwnPrompts:
    """The user's system prompt is that of "the clerk of a telephone exchange", with hints behind.

    The folder `mine` has it beside the product's other prompts, and `hints.txt` has the hints.
    """

    @pytest.mark.usefixtures("own_prompts")
    def test_the_model_gets_the_users_prompt_and_hints(
        self, run_command_here: CommandRunner, tmp_path: Path
    ) -> None:
        """The system prompt begins with the user's text and ends with the hints, in each of three
        trials."""
        run = run_command_here("run", *PHONEBOOK_WITH_PLAYER, *OWN_TEXTS, "--quiet")

        assert run.code == SUCCESS
        prompts = system_prompts_of_newest_run(tmp_path)
        assert len(prompts) == 3
        for prompt in prompts:
            assert prompt.startswith("You are the clerk of a telephone exchange.")
            assert prompt.endswith("\nNumbers have {{two}} digits.\n")

    @pytest.mark.usefixtures("own_prompts")
    def test_the_journal_keeps_the_users_prompt_and_hints(
        self, run_command_here: CommandRunner, tmp_path: Path
    ) -> None:
        """The other texts are the product's own. The journal also has a hash of all texts, which
        differs from the hash of the product's own texts."""
        run_command_here("run", *PHONEBOOK_WITH_PLAYER, *OWN_TEXTS, "--quiet")

        with open_journal(newest_journal(tmp_path)) as journal:
            recorded = recorded_prompts(journal)
            hashes = {versions.prompts for versions in journal.versions}

        products_texts = default_prompts().texts
        assert recorded is not None
        assert recorded.hints == OWN_HINTS
        assert recorded.texts == {**products_texts, "system": OWN_SYSTEM_PROMPT}
        assert default_prompts().digest not in hashes
        assert run_command_here("replay", "last", "--verify").code == SUCCESS


class TestContinuedRuns:
    """The user's prompts are deleted, and the runs go on with those in the journal.

    1. A run of six trials is cut off in the second one, by a limit of tokens.
    2. The user deletes the folder of prompts, and changes the hints.
    3. The run is resumed, and one of its trials is played again, with the recorded texts.
    """

    def test_a_run_is_resumed_and_rerun_with_the_texts_of_its_journal(
        self, own_prompts: Path, run_command_here: CommandRunner, tmp_path: Path
    ) -> None:
        """A run is cut off. The user deletes the prompts and changes the hints, and then resumes it
        and plays one of its trials again: all trials have the system prompt of the first one."""
        # Six trials, one after the other. Each takes two replies of 1,100 tokens, so the limit of
        # tokens is reached in the second trial.
        run_that_is_cut_off = shlex.split(
            "run --benchmark tests.support.phonebook --model m --repeats 2 --concurrency 1"
            " --max-tokens-run 3500"
        )

        with model_server(respond_with_usage) as server:
            endpoint = {"OPENAI_BASE_URL": server.url}
            cut_off = run_command_here(*run_that_is_cut_off, *OWN_TEXTS, **endpoint)
            assert cut_off.code == BudgetExhausted.exit_code
            first_prompt, _ = system_prompts_of_newest_run(tmp_path)

            shutil.rmtree(own_prompts)
            (tmp_path / "hints.txt").write_text("Something else.")

            resumed = run_command_here(
                "resume", "last", "--max-tokens-run", "1000000", **endpoint
            )
            assert resumed.code == SUCCESS
            assert system_prompts_of_newest_run(tmp_path) == [first_prompt] * 6

            rerun = run_command_here("rerun", "last", "--trials", "ada-0", **endpoint)
            assert rerun.code == SUCCESS, rerun.err
            assert system_prompts_of_newest_run(tmp_path) == [first_prompt]

        assert run_command_here("replay", "last", "--verify").code == SUCCESS
