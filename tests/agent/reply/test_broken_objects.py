"""An object that cannot be parsed is not an action, though it seems to have code.

A model replies with a JSON object, `{"state": ..., "code": "print(1)"}`. What a broken object might
mean is not guessed, since the guessed code would be run.
"""

import pytest

from controlplane.agent.reply.objects.object_text import read_object
from controlplane.agent.reply.reply import action_of
from controlplane.agent.reply.unusable_reply import Unusable


@pytest.mark.parametrize(
    "text",
    [
        pytest.param('{"state": s, "code": "print("hi")"}', id="quotes not escaped"),
        pytest.param(
            '{"state": s, "code": "print(",", 1)"}',
            id="quotes and a comma in the code",
        ),
        pytest.param('{"state": s, "code": "print(1)" + "2"}', id="sum of strings"),
        pytest.param('{"state": s, "code": "print(1"}', id="incomplete program"),
        pytest.param('{"state": s, "code": \'print(1)\'}', id="mixed quotes"),
        pytest.param('{"state": s, "code": print(1)}', id="code without quotes"),
        pytest.param(
            '{"state": s, "code": "print(1)", "code": "print(2)"}', id="code twice"
        ),
        pytest.param('{"state": s, "code": "  "}', id="blank code"),
        pytest.param(
            '{"state": s, "code": "print(1)", more words}', id="prose in the object"
        ),
        pytest.param(
            '{"state": s, "inner": {"code": "print(1)", "b": 1}, oops}',
            id="code in an inner object",
        ),
        pytest.param(
            '{"state": ' + "[" * 60 + '"code": "print(1)"}', id="code in open lists"
        ),
    ],
)
def test_code_in_a_broken_object_is_not_guessed(text: str) -> None:
    """`"state": s` is neither JSON nor Python data, so the object cannot be parsed."""
    assert isinstance(action_of(text), Unusable)


@pytest.mark.parametrize("sign", ["", "-"])
def test_number_with_too_many_digits_to_be_written_is_not_read(sign: str) -> None:
    """In hexadecimal, Python reads such a number. But no journal could record it."""
    assert read_object(f"{{'limit': {sign}0x{'f' * 4_000}}}") is None
