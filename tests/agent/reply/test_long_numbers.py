"""An object of a model with a number that is too long for the journal is not read.

Python writes an integer with up to 4,300 decimal digits, and raises an error for a longer one. But it reads
a longer one in hexadecimal, such as `0xfff...`, so that the journal could not record what was read.
"""

import pytest

from controlplane.agent.reply.objects import read_object

TOO_LONG_NUMBER = "0x" + "f" * 4_000
"""An integer of about 4,800 decimal digits."""


def test_an_object_with_a_short_hexadecimal_number_is_read() -> None:
    assert read_object("{'limit': 0xff}") == {"limit": 255}


@pytest.mark.parametrize("number", [TOO_LONG_NUMBER, f"-{TOO_LONG_NUMBER}"])
def test_an_object_with_a_too_long_number_is_not_read(number: str) -> None:
    assert read_object(f"{{'limit': {number}}}") is None
