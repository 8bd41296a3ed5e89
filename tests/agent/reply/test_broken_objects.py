"""Code in an object that cannot be parsed is run only if it is certain what the code is.

A model replies with a JSON object, `{"state": ..., "code": "print(1)"}`. Here, the state is `s`, which is
neither JSON nor Python data. The code may still be found, but code that is guessed must not be run.
"""

import pytest

from controlplane.agent.reply.reply import action_of
from controlplane.agent.reply.unusable_reply import Unusable
from tests.agent.reply.written_actions import read_action


def test_code_in_an_object_with_another_broken_field_is_found() -> None:
    action = read_action('{"state": s, "code": "print(1)"}')

    assert action.code == "print(1)"


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
            '{"state": ' + "[" * 60 + '"code": "print(1)"}',
            id="code in many lists that are not closed",
        ),
    ],
)
def test_code_is_not_guessed(text: str) -> None:
    assert isinstance(action_of(text), Unusable)
