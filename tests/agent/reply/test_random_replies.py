"""Random replies, mostly broken in some way, are read without an error.

`action_of` looks in a model's reply for an action, a JSON object with the code to run. Here it
reads random sequences of `PIECES`, such as `{"state": "s", ]<think>`.
"""

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.agent.reply.written_actions import code_to_run

PIECES = [
    '{"state": "s", ',
    '"code": "print(1)"',
    "'code': 'x'",
    "}",
    "{",
    "[",
    "]",
    ",",
    "```python\n",
    "```",
    "<think>",
    "</think>",
    '"',
    "'",
    "\\",
    '\\"',
    "\n",
    "True",
    "code:",
    "print(2)",
    '"plan": []',
    "//",
    "\ud800",
    "null",
    "\0",
]
"""Pieces of replies. Random sequences of them are mostly broken in some way."""


RANDOM_TEXTS = st.lists(st.sampled_from(PIECES), max_size=25).map("".join)


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(
    text=RANDOM_TEXTS,
    finish_reason=st.sampled_from(["stop", "content_filter", "", "weird"]),
)
def test_random_text_never_raises(text: str, finish_reason: str) -> None:
    code_to_run(text, finish_reason)


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(text=RANDOM_TEXTS)
def test_reply_that_was_cut_at_the_length_limit_is_never_run(text: str) -> None:
    """The missing part might change what the code does, even if the rest is valid."""
    assert code_to_run(text, finish_reason="length") is None
