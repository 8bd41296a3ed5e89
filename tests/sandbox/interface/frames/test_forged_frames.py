"""A frame that is not a JSON object within the bounds ends the script's process, which sent it.

A frame is a message to the parent process: a length of four bytes, and a JSON object of at most
10,000 lists and mappings, and 400,000 values. The product's own code never sends another one, so
somebody has taken the process over.
"""

import pytest

from controlplane.sandbox.interface.messages.frames import Forged
from controlplane.sandbox.interface.messages.message_fields import read_message


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"{", id="cut off"),
        pytest.param(b"1", id="a number"),
        pytest.param(b"[]", id="a list"),
        pytest.param(b'"x"', id="a text"),
        pytest.param(b'{"a": NaN}', id="NaN"),
        pytest.param(b'{"a": Infinity}', id="infinity"),
        pytest.param(b'{"a": ' + b"[" * 100_000, id="deep"),
        pytest.param(b'{"a": "\\ud800"}', id="half of a surrogate pair"),
        pytest.param(b"\xff", id="not UTF-8"),
        pytest.param(b'{"a": [' + b"[]," * 10_000 + b"[]]}", id="many lists"),
        pytest.param(b'{"a": [' + b"1," * 400_001 + b"1]}", id="many numbers"),
        pytest.param(b'{"a": ' + b"7" * 5_000 + b"}", id="a number of 5,000 digits"),
    ],
)
def test_a_frame_that_is_not_a_json_object_within_the_bounds_is_called_forged(
    body: bytes,
) -> None:
    with pytest.raises(Forged):
        read_message(body)
