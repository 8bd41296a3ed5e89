"""No command lets a text of strangers steer the user's terminal, whatever it prints.

A text may contain escape sequences that change colours, or make a link, and characters that turn
the direction of a line. Here such a text is everywhere: in arguments, a configuration, names of
files, and all that a model has said in a run. Commands print such characters in a visible form.
"""

import contextlib
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from controlplane.command_line import cli
from controlplane.terminal_text import HIDDEN
from tests.controlplane.foreign_arguments.foreign_lines import (
    KnownCommand,
    Words,
    commands_of,
    lines_about_foreign_files,
    lines_with_foreign_text,
)
from tests.support.command import run_in_process

# What a command prints that may not end by itself.
#
# For example:
#
#     printed_by(("show", "last"), folder)    ->    "first · ..."


@contextlib.contextmanager
def interrupted_after(seconds: float) -> Iterator[None]:
    """Interrupt the block, as by Ctrl-C, if it takes longer."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    handler_before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler_before)


def printed_by(line: Words, folder: Path) -> str:
    """Run a command in the folder, and return what it prints; "" if it does not end within 5 s."""
    with contextlib.suppress(KeyboardInterrupt), interrupted_after(5):
        result = run_in_process(
            *line,
            cwd=folder,
            HOME=str(folder),
            XDG_STATE_HOME=str(folder),
            MODEL_ID=f"scripted:{folder}/replies.toml",
            CONTROLPLANE_BENCHMARK="tests.support.phonebook",
        )
        return result.out + result.err
    return ""


STEERING_CHARACTERS = {chr(code) for code in HIDDEN} - {"\n", "\t"}
"""The characters that no command may print as they are."""


@pytest.mark.parametrize(
    "command", list(commands_of(cli)), ids=lambda command: " ".join(command.words)
)
def test_no_command_lets_foreign_text_steer_the_terminal(
    command: KnownCommand, foreign_folder: Path, tmp_path: Path
) -> None:
    """`foreign_folder` has a configuration, files and a run, all with the foreign text."""
    folder = tmp_path / "here"
    shutil.copytree(foreign_folder, folder)

    # Wrong command lines, such as `compare TEXT TEXT`.
    command_lines = lines_with_foreign_text(command)
    # Right ones, such as `show last`. These commands would then serve until they are stopped.
    if command.words[0] not in ("view", "serve", "mcp"):
        command_lines += lines_about_foreign_files(command, folder)

    for command_line in command_lines:
        printed_text = printed_by(command_line, folder)
        assert STEERING_CHARACTERS & set(printed_text) == set(), command_line
