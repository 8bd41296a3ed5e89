r"""What a model puts around its program is removed, and the program stays as it is.

A model replies with a JSON object whose field `code` should be a program. Models also put a fence or
prose into it: `{"code": "```python\nprint(1)\n```"}` -> `print(1)`.
"""

import json

import pytest

from tests.agent.reply.written_actions import action_with_code, read_action


@pytest.mark.parametrize(
    "code",
    [
        pytest.param("python\nprint(1)", id="name of the language"),
        pytest.param("```python\nprint(1)\n```", id="fence"),
        pytest.param("```\nprint(1)", id="fence without its end"),
        pytest.param(
            "Here it is:\n```python\nprint(1)\n```\nThat reads it.",
            id="fence in prose",
        ),
    ],
)
def test_wrapping_around_the_program_is_removed(code: str) -> None:
    action = read_action(action_with_code(code))

    assert action.code.strip() == "print(1)"


def test_program_in_a_fence_keeps_its_backslashes() -> None:
    """In a raw string, a backslash is a character: unescaping would change the program."""
    program = "print(r'''a\\nb''')\n"
    code = f"This prints it:\n```python\n{program}```\n"

    action = read_action(json.dumps({"state": "", "code": code}))

    assert action.code == program
