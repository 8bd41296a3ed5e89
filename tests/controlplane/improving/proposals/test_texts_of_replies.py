"""A model, the proposer of `improve`, replies with the new text of a file of hints.

The text may be in a code fence, or without a last line end:

    "new\\nline"    ->    "new\\nline\\n"
"""

import pytest

from controlplane.improving.proposing import text_in


@pytest.mark.parametrize(
    "reply",
    [
        pytest.param("new\nline", id="without a last line end"),
        pytest.param("\n```md\nnew\nline\n```\n", id="in a code fence"),
        pytest.param("new\nline\n\n", id="with an empty line"),
        pytest.param("new\r\nline\r\n", id="with CRLF"),
    ],
)
def test_the_text_of_a_reply_is_found_in_every_form(reply: str) -> None:
    """The proposer replies with the new text of a file, with or without a code fence around
    it."""
    assert text_in(reply) == "new\nline\n"


def test_the_text_of_a_reply_can_always_be_written_to_a_file() -> None:
    """A lone surrogate, half of a UTF-16 character, cannot be encoded in UTF-8."""
    text_in("new\nline \ud800").encode()
