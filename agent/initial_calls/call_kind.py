"""The kinds of calls that an environment declares for the first message of a trial.

The calls are made before the model is asked, and the message shows their results. The kind of a
call decides when it is sent: `exec /bin/date` at once, `exec /bin/renew --help` only if it is
known that the tool fits the request.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum, auto

from controlplane.agent.initial_calls.call_texts import asks_for_help
from controlplane.sandbox.interface import Effect, InitialCall, Operation, Plain


class CallKind(Enum):
    """What a declared call does.

    | kind | example | sent |
    |---|---|---|
    | `READS_RULES` | `read /RULES.md`, the workspace's rules | first |
    | `READS_FILE` | `read /docs/fees.md` | first, or beside the search if there is one |
    | `RUNS_TOOL` | `exec /bin/date`, for its output or to test if it works | first |
    | `ASKS_FOR_HELP` | `exec /bin/renew --help` | last, if the tool fits the request |
    | `FOR_EACH_LISTED` | `read` each file of `find /docs` | once it is known what is listed |
    | `FOR_FITTING_FILES` | the same, if it `is_ranked` | for the files that fit the request |
    | `OTHER` | `tree /` | first |

    The *search* looks for files that fit the request. It starts when the files are listed.
    """

    READS_RULES = auto()
    READS_FILE = auto()
    RUNS_TOOL = auto()
    ASKS_FOR_HELP = auto()
    FOR_EACH_LISTED = auto()
    FOR_FITTING_FILES = auto()
    OTHER = auto()


def kind_of(call: InitialCall, operation: Operation, rules_path: str) -> CallKind:
    """Return the kind of a call, as the environment declares it, of this operation.

    `rules_path` is the document with the workspace's rules; empty if there is none.
    """
    if call.each_of is None:
        return kind_of_single(operation, call.arguments, rules_path)
    if call.is_ranked and operation.effect is Effect.READS:
        return CallKind.FOR_FITTING_FILES
    return CallKind.FOR_EACH_LISTED


def kind_of_single(
    operation: Operation, arguments: Mapping[str, Plain], rules_path: str
) -> CallKind:
    """Return the kind of a call that is sent once, and not for each value of a listing."""
    if asks_for_help(arguments):
        return CallKind.ASKS_FOR_HELP
    if operation.effect is Effect.READS:
        reads_rules = arguments.get(operation.subject) == rules_path
        return CallKind.READS_RULES if reads_rules else CallKind.READS_FILE
    if operation.effect is Effect.EXECUTES:
        return CallKind.RUNS_TOOL
    return CallKind.OTHER
