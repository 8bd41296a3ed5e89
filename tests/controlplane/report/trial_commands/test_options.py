"""The commands that a report offers beside a failed trial have the options of the run.

The run was called with `--benchmark folder:tasks --model gpt-x --set "a=b c"`, or with the name of
another player. `fork` plays the failed trial of alpha.1 again from a step on, and `improve` proposes
changes of the prompt.
"""

from pathlib import Path

import pytest
from pydantic import JsonValue

from tests.controlplane.report.trial_commands.failed_trial import commands_about_failure

SETTINGS_WITH_A_MODEL: dict[str, JsonValue] = {
    "model": "gpt-x",
    "benchmark": "folder:tasks",
    "set": {"a": "b c"},
}


def test_a_failure_comes_with_the_command_to_fork_its_trial(tmp_path: Path) -> None:
    """A fork plays the failed trial again from a step on."""
    _rerun, fork, _judge, _improve = commands_about_failure(
        tmp_path, SETTINGS_WITH_A_MODEL
    )

    assert " fork " in fork
    assert "--trial alpha.1-r0 --step 1" in fork


def test_a_failure_of_a_model_comes_with_the_command_to_improve_it(
    tmp_path: Path,
) -> None:
    """`improve` proposes changes of the prompt. The command has the options of the run."""
    _rerun, _fork, _judge, improve = commands_about_failure(
        tmp_path, SETTINGS_WITH_A_MODEL
    )

    assert improve.endswith(
        "improve alpha.1"
        " --benchmark folder:tasks --model gpt-x --set 'a=b c' --with gpt-x"
    )


@pytest.mark.parametrize("model", ["baseline", "recorded"])
def test_a_failure_without_a_model_comes_without_a_command_to_improve_it(
    model: str, tmp_path: Path
) -> None:
    """A program of the benchmark ("baseline") or recorded replies ("recorded") play
    instead, which no prompt improves."""
    commands = commands_about_failure(tmp_path, {"model": model})

    _rerun, fork, _judge = commands
    assert " fork " in fork
    assert "--trial alpha.1-r0 --step 1" in fork
    for command in commands:
        assert " improve " not in command
