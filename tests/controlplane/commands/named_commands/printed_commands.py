"""Finds the commands that the product tells the user to type, in what it prints.

    commands_in_text("a trial: /bin/controlplane show x; /bin/controlplane runs  # all")

returns `[["show", "x"], ["runs"]]`: the arguments with which a test runs them.
"""

import re
import shlex

from tests.support.command import (
    CommandResult,
)

COMMAND = re.compile(r"\S*/controlplane (.+?)(?:  #|;|$)", re.MULTILINE)
"""Finds a command in a text, up to its comment, a semicolon or the end of the line."""


def commands_in_text(text: str) -> list[list[str]]:
    """Return the arguments of each command that a text names.

    "a trial: /bin/controlplane show x; /bin/controlplane runs  # all" has `["show", "x"]` and
    `["runs"]`.
    """
    return [shlex.split(arguments) for arguments in COMMAND.findall(text)]


NEXT_COMMANDS = re.compile(r"^next\b.*(?:\n {6}.*)*", re.MULTILINE)
"""Finds the label "next" with its line and the indented lines below, as in `suggested_commands`."""


def suggested_commands(result: CommandResult) -> list[list[str]]:
    """Return the arguments of the commands that a result suggests to type next.

    They stand behind the label "next" and in the indented lines below it, with a comment each:

        next     /bin/controlplane show 2026  # the whole table
                 /bin/controlplane rerun 2026 --failed
    """
    commands = []
    for text in (result.out, result.err):
        for labelled_text in NEXT_COMMANDS.findall(text):
            named_commands = commands_in_text(labelled_text)
            assert len(named_commands) == len(labelled_text.splitlines()), labelled_text
            commands += named_commands
    return commands
