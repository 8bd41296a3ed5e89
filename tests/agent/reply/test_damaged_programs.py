r"""A program that a model damaged while writing it as JSON is repaired, if that is certain.

In JSON, a line break in a string is written `\n`. If a model does not escape the backslash, the
string in its program has a real line break, which Python does not allow: `'a` and `'` on the next
line -> `'a\n'`. `action_with_code(code)` is a reply with this text in its field `code`.
"""

import pytest

from tests.agent.reply.written_actions import action_with_code, read_action


def test_program_that_was_escaped_twice_is_unescaped() -> None:
    """A model that escapes a quote twice leaves a backslash before it in the program."""
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
    """The escape of a line break becomes a line break, which a string must not contain.

    Or the model ends the JSON object within the code, so that the code ends with a brace.
    """
    action = read_action(action_with_code(code))

    assert action.code == repaired_code


@pytest.mark.parametrize(
    "code",
    [
        pytest.param("x = '''a\nb'''", id="line break in triple quotes"),
        pytest.param("d = {1: 2}", id="brace of the program at the end"),
        pytest.param("x = 'a", id="error that has no certain repair"),
        pytest.param("python = 3\nprint(python)", id="variable named python"),
    ],
)
def test_code_without_a_known_damage_is_not_changed(code: str) -> None:
    """A repair that is not certain could change what a correct program does."""
    action = read_action(action_with_code(code))

    assert action.code == code
