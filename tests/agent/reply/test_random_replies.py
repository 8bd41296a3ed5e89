"""Random replies of a model, most of them broken in some way, are read without an error.

`code_to_run(text, finish_reason)` looks in a reply for an action, a JSON object with the code to run. It
returns the code, or None if nothing is run. `finish_reason` says why the reply ended.
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
"""Pieces of replies."""

RANDOM_TEXTS = st.lists(st.sampled_from(PIECES), max_size=25).map("".join)
"""Random sequences of pieces, such as `{"state": "s", ]<think>`."""


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
