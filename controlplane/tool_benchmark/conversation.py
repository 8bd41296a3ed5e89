"""The conversation of a trial's scripts with its user, by `say`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final, TypeAlias

from controlplane.sandbox.interface import Effect, Operation, Parameter, ResultField
from controlplane.tools.function_tool import ENDED, Tool

User: TypeAlias = Callable[[str], str | None]
"""Takes a text and returns the user's reply; None ends the conversation and the trial."""
LONGEST_REPLY_S: Final = 600.0
"""The seconds that the user's reply may take. The user may be simulated by a model."""
SAY: Final = Operation(
    "say",
    parameters=(Parameter("text", "str"),),
    fields=(ResultField("reply"),),
    summary=(
        "tell the user a text and get the reply. One turn at a time: end the script after it, and "
        "read the reply before the next. The user ends the conversation, and with it the task"
    ),
    effect=Effect.ACTS,
    subject="",  # The call does not act on a path of the trial's files.
    longest_s=LONGEST_REPLY_S,
    ends_trial=ENDED,
    is_talk=True,
)
TOOL_NEWS: Final = "tools"
"""The result field of `say` that lists the tools that have become available or unavailable."""


def say_operation(tools: Iterable[Tool]) -> Operation:
    """Return the declaration of `say`, with a field for news if tools come and go with turns."""
    if all(tool.first_turn == 0 and tool.last_turn is None for tool in tools):
        return SAY
    news = f"`.{TOOL_NEWS}` names the tools that are new or gone: print it"
    fields = (*SAY.fields, ResultField(TOOL_NEWS))
    return SAY._replace(fields=fields, summary=f"{SAY.summary}. {news}")


def user_of_messages(messages: Sequence[str]) -> User:
    """Return a user who sends the messages in order, and then ends the conversation."""
    later_messages = iter(messages)

    def user(text: str) -> str | None:
        return next(later_messages, None)

    return user
