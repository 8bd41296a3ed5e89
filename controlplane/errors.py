"""Everything that ends a command, with its exit code.

ControlPlaneError
├── UsageError            2   what was asked for cannot be: a flag, a name, a file
│   └── NotAJournal       2   the file is no journal
├── Unreachable           3   the platform or the model cannot be reached, or refuses
├── JournalUnwritable     3   the journal cannot be written
├── BudgetExhausted       4   a budget of the run is used up
├── JournalDamaged        5   a journal's hash chain is broken
├── ReplayDiverged        5   a replay did not give what was recorded
└── Interrupted         130   the user stopped it

Exit code 1 is no error but a result: a trial did not start, did not end or ended by its fallback answer.
"""

from __future__ import annotations

from typing import ClassVar


class ControlPlaneError(Exception):
    """One line that says what was wrong, the value, and what to do."""

    exit_code: ClassVar[int] = 1


class UsageError(ControlPlaneError):
    """What was asked for cannot be."""

    exit_code = 2


class NotAJournal(UsageError):
    """The file is no journal."""


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
    """A journal's hash chain is broken."""

    exit_code = 5


class ReplayDiverged(ControlPlaneError):
    """A replay did not give what was recorded."""

    exit_code = 5


class Interrupted(ControlPlaneError):
    """The user stopped it."""

    exit_code = 130
