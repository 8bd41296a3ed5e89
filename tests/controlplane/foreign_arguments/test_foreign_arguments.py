"""No command lets a text of strangers steer the user's terminal, whatever it prints.

A text may contain escape sequences that change colours, or make a link, and characters that turn the
direction of a line. Here such a text is everywhere: in arguments, a configuration, names of files, and
all that a model has said in a run. Commands print such characters in a visible form.
"""

import shutil
from pathlib import Path

import pytest

from controlplane.command_line import cli
from controlplane.terminal_text import HIDDEN
from tests.controlplane.foreign_arguments.foreign_lines import (
    lines_about_foreign_files,
    lines_with_foreign_text,
)
from tests.controlplane.foreign_arguments.known_commands import (
    KnownCommand,
    commands_of,
)
from tests.controlplane.foreign_arguments.printed_texts import printed_by

STEERING_CHARACTERS = {chr(code) for code in HIDDEN} - {"\n", "\t"}
"""The characters that no command may print as they are."""


@pytest.mark.parametrize(
    "command", list(commands_of(cli)), ids=lambda command: " ".join(command.words)
)
def test_no_command_lets_foreign_text_steer_the_terminal(
    command: KnownCommand, foreign_folder: Path, tmp_path: Path
) -> None:
    """Each command is called in many ways, right and wrong, in a folder full of the foreign text."""
    folder = tmp_path / "here"
    shutil.copytree(foreign_folder, folder)
    lines = lines_with_foreign_text(command)
    # Commands that do not end if they are called rightly. They are only called with foreign text.
    servers = ("view", "serve", "mcp")

    if command.words[0] not in servers:
        lines += lines_about_foreign_files(command, folder)

    for line in lines:
        steering_characters = STEERING_CHARACTERS & set(printed_by(line, folder))
        assert steering_characters == set(), line
