r"""A program that was damaged because a model must write it within a JSON object is repaired.

    as the model means it    {"code": "x = 'a\\n'"}    the program has the escape of a line break
    as the model writes it   {"code": "x = 'a\n'"}     the program has a line break within a string

Python does not allow the second program. A program is changed only if it is no valid Python before, and
is valid afterwards. `action_with_code(code)` is a reply with this text as its code.
"""

import pytest

from tests.agent.reply.written_actions import action_with_code, read_action


def test_program_that_was_escaped_twice_is_unescaped() -> None:
    """A quote in JSON is written `\\"`. A model that escapes it twice leaves a backslash."""
    code = 'names = [\\"a\\"]\nprint(names)'

    action = read_action(action_with_code(code))

    assert action.code == 'names = ["a"]\nprint(names)'


@pytest.mark.parametrize(
    ("code", "repaired_code"),
    [
        pytest.param(
            "text = 'a\n'.split('\n')  # don't\n",
            "text = 'a\\n'.split('\\n')  # don't\n",
            id="line breaks in strings",
        ),
        pytest.param(
            "print(f'{1}\n')", "print(f'{1}\\n')", id="line break in an f-string"
        ),
        pytest.param(
            "total = 3\nprint(total)}",
            "total = 3\nprint(total)",
            id="brace at the end",
        ),
        pytest.param('print("a")"}', 'print("a")', id="quote and brace at the end"),
    ],
)
def test_program_that_was_damaged_by_writing_it_as_json_is_repaired(
    code: str, repaired_code: str
) -> None:
    """A string has a line break, or the end of the JSON object stands in the program: `}`, `"}`."""
    action = read_action(action_with_code(code))

    assert action.code == repaired_code


@pytest.mark.parametrize(
    "code",
    [
        pytest.param("x = '''a\nb'''", id="line break in triple quotes"),
        pytest.param("d = {1: 2}", id="brace of the program at the end"),
        pytest.param("x = 'a", id="error that JSON does not explain"),
        # A first line with the word `python` alone would be removed.
        pytest.param("python = 3\nprint(python)", id="variable named python"),
    ],
)
def test_code_without_a_known_damage_is_not_changed(code: str) -> None:
    action = read_action(action_with_code(code))

    assert action.code == code
