"""A run of two tasks, and its refusal on a machine without the kernel layer of isolation."""

from controlplane.errors import UsageError
from tests.support.command import CommandResult, check_error_line
from tests.support.phonebook import PHONEBOOK_WITH_PLAYER

RUN = ("run", *PHONEBOOK_WITH_PLAYER, "ada", "grace", "--quiet")
"""Plays two tasks of a phonebook: what are the numbers of ada and grace?"""


def check_refused_for_missing_layer(result: CommandResult) -> None:
    """Assert that a command was refused, and told what works instead.

    "the kernel layer does not work here … sandbox doctor … --isolation language,process"
    """
    check_error_line(
        result,
        UsageError.exit_code,
        "the kernel layer does not work here (kernel: only Linux has it)",
        "sandbox doctor",
        "--isolation language,process",
    )
