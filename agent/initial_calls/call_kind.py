"""The kinds of calls that an environment declares for the first message of a trial.

The calls are made before the model is asked. What a call does decides when it is sent, and what is
learned from its result: the rules of the workspace are kept, for example, because answers are
checked by them.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum, auto

from controlplane.sandbox.interface import Effect, Operation, Plain


class CallKind(Enum):
    """What a declared call does."""

    READS_RULES = auto()
    """It reads the workspace's rules: `read /RULES.md`."""
    READS_FILE = auto()
    """It reads another file: `read /docs/fees.md`."""
    RUNS_TOOL = auto()
    """It runs a tool for its output, or to test if it works: `exec /bin/date`."""
    ASKS_FOR_HELP = auto()
    """It asks a tool how to use it: `exec /bin/renew --help`."""
    OTHER = auto()
    """It does something else: `tree /`."""


def kind_of(
    operation: Operation, arguments: Mapping[str, Plain], rules_path: str
) -> CallKind:
    """Return the kind of a call.

    `rules_path` is the document with the workspace's rules; empty if there is none.
    """
    if asks_for_help(arguments):
        return CallKind.ASKS_FOR_HELP
    if operation.effect is Effect.EXECUTES:
        return CallKind.RUNS_TOOL
    if operation.effect is not Effect.READS:
        return CallKind.OTHER
    if arguments.get(operation.subject) == rules_path:
        return CallKind.READS_RULES
    return CallKind.READS_FILE


def asks_for_help(arguments: Mapping[str, Plain]) -> bool:
    """Return True if a call asks a tool for its help text, as in `/bin/date --help`."""
    return arguments.get("args") == ["--help"]
