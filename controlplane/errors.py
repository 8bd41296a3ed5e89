"""The errors that end a command, with their exit codes.

ControlPlaneError
├── UsageError            2   a wrong option, name or file
│   └── NotAJournal       2   the file is not a journal
├── Unreachable           3   the platform or the model cannot be reached, or refuses
├── JournalUnwritable     3   the journal cannot be written
├── BudgetExhausted       4   a budget of the run is used up
├── JournalDamaged        5   the journal's hash chain is broken
├── ReplayDiverged        5   a replay differs from the record
└── Interrupted         130   the user stopped the command

Exit code 1 is a result: a trial did not start, did not end, or ended with its fallback answer.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import ClassVar


class ControlPlaneError(Exception):
    """An error whose message is one line: what is wrong, the value, and what to do."""

    exit_code: ClassVar[int] = 1
    leaves_step: ClassVar[bool] = True
    """It is no failure of the call in which it comes up."""


class UsageError(ControlPlaneError):
    """An option, name or file is wrong."""

    exit_code = 2
    setting: str = ""
    """The setting whose value is wrong, if it is one's."""


@contextmanager
def about_setting(name: str) -> Iterator[None]:
    """Note in a `UsageError` that the value of the setting `name` is wrong."""
    try:
        yield
    except UsageError as error:
        error.setting = error.setting or name
        raise


class NotAJournal(UsageError):
    """The file is not a journal."""


class Unreachable(ControlPlaneError):
    """The platform or the model cannot be reached, or refuses."""

    exit_code = 3


class JournalUnwritable(ControlPlaneError):
    """The journal cannot be written."""

    exit_code = 3


class BudgetExhausted(ControlPlaneError):
    """A budget of the run is used up."""

    exit_code = 4


class JournalDamaged(ControlPlaneError):
    """The journal's hash chain is broken."""

    exit_code = 5


class ReplayDiverged(ControlPlaneError):
    """A replay differs from the record."""

    exit_code = 5


class Interrupted(ControlPlaneError):
    """The user stopped the command."""

    exit_code = 130
