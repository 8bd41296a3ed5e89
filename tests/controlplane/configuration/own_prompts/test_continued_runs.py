"""A run goes on with the user's prompts that it began with, even if their files are gone.

`run --prompt mine --hints hints.txt` replaces texts of the initial prompt by those in the folder
`mine`, and adds hints. The journal keeps both. So the run can be resumed, or one of its trials
played again, after the user has deleted the folder and changed the hints.
"""

import shlex
import shutil
from pathlib import Path

from controlplane.errors import BudgetExhausted
from tests.controlplane.configuration.own_prompts.prompts_of_runs import (
    OWN_TEXTS,
    system_prompts_of_newest_run,
)
from tests.support.command import CommandRunner
from tests.support.phonebook_model import model_server, respond_with_usage


def test_a_run_is_resumed_and_rerun_with_the_texts_of_its_journal(
    own_prompts: Path, run_command_here: CommandRunner, tmp_path: Path
) -> None:
    # Six trials, one after the other. Each takes two replies of 1,100 tokens, so the limit of
    # tokens is reached in the second trial.
    run_that_is_cut_off = shlex.split(
        "run --benchmark tests.support.phonebook --model m --repeats 2 --concurrency 1"
        " --run-tokens 3500"
    )

    with model_server(respond_with_usage) as server:
        endpoint = {"OPENAI_BASE_URL": server.url}
        cut_off = run_command_here(*run_that_is_cut_off, *OWN_TEXTS, **endpoint)
        assert cut_off.code == BudgetExhausted.exit_code
        first_prompt, _ = system_prompts_of_newest_run(tmp_path)

        shutil.rmtree(own_prompts)
        (tmp_path / "hints.txt").write_text("Something else.")

        resumed = run_command_here(
            "resume", "last", "--run-tokens", "1000000", **endpoint
        )
        assert resumed.code == 0
        assert system_prompts_of_newest_run(tmp_path) == [first_prompt] * 6

        rerun = run_command_here("rerun", "last", "--trials", "ada-0", **endpoint)
        assert rerun.code == 0, rerun.err
        assert system_prompts_of_newest_run(tmp_path) == [first_prompt]

    assert run_command_here("replay", "last", "--verify").code == 0
