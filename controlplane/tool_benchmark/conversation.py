"""The conversation of a trial's scripts with its user.

Scripts call `harness.say("Which order?")`, and the result has the user's reply. Each
call ends one turn and begins the next. The user is a function of the benchmark.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from controlplane.sandbox.interface import Effect, Operation, Parameter, ResultField
from controlplane.tools.function_tool import ENDED

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
CHANGED_TOOLS: Final = "tools"
"""The result field of `say` that lists the tools that have become available or unavailable."""
SAY_WITH_CHANGED_TOOLS: Final = SAY._replace(
    fields=(*SAY.fields, ResultField(CHANGED_TOOLS)),
    summary=(
        f"{SAY.summary}. `.{CHANGED_TOOLS}` names the tools that are new or gone: print it"
    ),
)
"""`say` in a trial whose tools change with the turns of the conversation."""


def user_of_messages(messages: Sequence[str]) -> User:
    """Return a user who sends the messages in order, and then ends the conversation."""
    later_messages = iter(messages)

    def user(text: str) -> str | None:
        return next(later_messages, None)

    return user
