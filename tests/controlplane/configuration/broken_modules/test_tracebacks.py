"""With `--debug`, a command prints the traceback of an error in a module that the user names.

The message of the error may steer a terminal: `\\x1b[31m` turns it red, and `\\u061c` changes the
direction of the text. The user's benchmark raises such an error when it is opened, or when a trial
ends.
"""

import logging
from pathlib import Path

import pytest

from tests.support.command import ROOT, CommandRunner
from tests.support.phonebook import PHONEBOOK_WITH_PLAYER

MESSAGE_THAT_STEERS = r"\x1b[31m\u061c"
"""A text as it stands in the source of a module, with a backslash: Python makes an escape sequence
of it, which turns a terminal red, and an invisible character, which turns a text's direction."""
BREAKS_AT_THE_END_OF_A_TRIAL = f"""
from tests.support.phonebook import Phonebook

class BrokenPhonebook(Phonebook):
    def end_trial(self, trial_id):
        raise Exception('{MESSAGE_THAT_STEERS}')

def open_benchmark(argument, settings, context):
    return BrokenPhonebook(delay_s=0.0)
"""
"""A benchmark that raises such a message when a trial ends."""
BREAKS_AT_ITS_OPENING = f"""
def open_benchmark(argument, settings, context):
    raise Exception('{MESSAGE_THAT_STEERS}')
"""
"""A benchmark that raises such a message when it is opened."""


@pytest.mark.parametrize(
    ("module", "source"),
    [
        pytest.param("broken_end", BREAKS_AT_THE_END_OF_A_TRIAL, id="end of a trial"),
        pytest.param("broken_opening", BREAKS_AT_ITS_OPENING, id="opening"),
    ],
)
def test_a_traceback_does_not_steer_the_terminal(
    module: str, source: str, run_command_here: CommandRunner, tmp_path: Path
) -> None:
    """The traceback has the message of the user's error, with these characters in another form."""
    (tmp_path / f"{module}.py").write_text(source)
    model = f"scripted:{ROOT}/tests/support/phonebook.toml"

    result = run_command_here(
        "run", "ada", "--benchmark", module, "--model", model, "--debug"
    )

    assert "Traceback" in result.err
    assert "\x1b" not in result.err
    assert "\u061c" not in result.err


def test_the_option_debug_holds_for_its_command_only(
    run_command_here: CommandRunner,
) -> None:
    """The next command in the same process must not print tracebacks."""
    run_command_here("run", "ada", *PHONEBOOK_WITH_PLAYER, "--debug")

    assert not logging.getLogger("controlplane").isEnabledFor(logging.DEBUG)
