"""Replies that cannot be read, or not all of them: the next request tells the model why.

    reply 1     {"State": "answer", "Code": "print(1)"}
    request 2   ... "no JSON object" ...

A case such as `b57-uppercase-keys` is a file with replies that users of public projects have reported; a
comment beside its name says what is odd.
"""

from tests.controlplane.reported_endpoints.case_checks import (
    check_model_told,
    check_solved,
)
from tests.controlplane.reported_endpoints.played_case import PlayedCase, plays_each

MODEL_TOLD = {
    # The code is an object, {"language": ..., "content": ...}.
    "b29-code-dict": "code",
    # A list of two actions.
    "b34-array-of-two": "Only the first was run",
    # The action is within {"function_call": ...}.
    "b38-function-call-key": "code",
    # The code is in backticks instead of quotes.
    "b52-backtick-code": "JSON",
    # The keys are `State`, `Plan`, `Done`, `Code`.
    "b57-uppercase-keys": "JSON",
    # The key is " code".
    "b58-key-blank": "code",
    # &quot; instead of quotes.
    "b59-html-escaped": "JSON object",
    # The object is cut off, although `finish_reason` is "stop".
    "b61-final-newline-cut-stop": "not closed",
    # Two different answers in prose.
    "e17-two-drafts-differ": "JSON object",
}
"""By case, a part of what the model is told."""


@plays_each(MODEL_TOLD, "part_of_message")
def test_a_model_is_told_why_its_reply_was_not_read(
    played: PlayedCase, part_of_message: str
) -> None:
    """The next request says it in words such as "no JSON object"."""
    check_model_told(played, part_of_message)


SOLVED_AFTER_TELLING = {
    # Two tool calls side by side.
    "c20-tool-two-calls-first-not-final": "Only the first was run",
    # The content is an empty list.
    "d13-empty-tool-content-list": "empty",
    # <think> is never closed, so that the object is part of the thinking.
    "e15-think-eats-json": "thinking alone",
}
"""By case, a part of what the model is told. The endpoint's second reply is right."""


@plays_each(SOLVED_AFTER_TELLING, "part_of_message")
def test_a_model_that_is_told_what_was_wrong_may_reply_again(
    played: PlayedCase, part_of_message: str
) -> None:
    """Its next reply is right, and solves the trial."""
    check_solved(played, max_requests=2)
    check_model_told(played, part_of_message)
