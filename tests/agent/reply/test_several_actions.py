"""Of several actions in one reply, the first is run, and the others are counted.

The count is for the model, which is told that its other actions were not run:
`[{"code": "print(1)", ...}, {"code": "print(2)", ...}]` -> runs `print(1)`, one further action.
"""

import pytest

from tests.agent.reply.written_actions import (
    ACTION,
    OTHER_ACTION,
    XML_CALL,
    read_action,
)


@pytest.mark.parametrize(
    ("text", "further_actions"),
    [
        pytest.param(
            f"```json\n{ACTION}\n```\n```json\n{OTHER_ACTION}\n```",
            1,
            id="two fences",
        ),
        pytest.param(f"[{ACTION}, {OTHER_ACTION}, {OTHER_ACTION}]", 2, id="list"),
        pytest.param(
            f"Now:\n{XML_CALL}\n{XML_CALL.replace('print(1)', 'print(2)')}",
            1,
            id="two calls as XML",
        ),
    ],
)
def test_first_of_several_actions_is_run_and_the_others_are_counted(
    text: str, further_actions: int
) -> None:
    action = read_action(text)

    assert action.code.strip() == "print(1)"
    assert action.further_actions == further_actions


@pytest.mark.parametrize("name_of_code", ["code", "script", "python"])
def test_an_action_with_empty_code_is_passed_over(name_of_code: str) -> None:
    """Models write `script` for `code`, and some write an empty action before the one they mean."""
    empty_action = f'{{"state": "", "{name_of_code}": ""}}'

    action = read_action(f"{empty_action}\n{ACTION}")

    assert action.code.strip() == "print(1)"
    assert action.further_actions == 0
