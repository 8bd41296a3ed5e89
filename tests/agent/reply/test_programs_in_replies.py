"""The program in a model's reply is repaired if it is certain how it was damaged.

The field `code` of an action should be a program. Models also put a fence or prose around it, or
damage it when they write it as JSON: the escape `\\n` in a string becomes a line break, say.
"""

import json

import pytest

from tests.agent.reply.written_actions import action_with_code, read_action


class TestWrappedPrograms:
    """What a model puts around its program is removed, and the program stays as it is.

    `action_with_code(code)` is a reply with this text in the field `code`.
    """

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
    def test_wrapping_around_the_program_is_removed(self, code: str) -> None:
        """Models put a fence or prose into the field `code`, which should be a program."""
        action = read_action(action_with_code(code))

        assert action.code.strip() == "print(1)"

    def test_program_in_a_fence_keeps_its_backslashes(self) -> None:
        """In a raw string, a backslash is a character: unescaping would change the program."""
        program = "print(r'''a\\nb''')\n"
        code = f"This prints it:\n```python\n{program}```\n"

        action = read_action(json.dumps({"state": "", "code": code}))

        assert action.code == program


class TestDamagedPrograms:
    """A program that was damaged by writing it as JSON is repaired, if that is certain.

    `action_with_code(code)` is a reply with this text in the field `code`.
    """

    def test_program_that_was_escaped_twice_is_unescaped(self) -> None:
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
        self, code: str, repaired_code: str
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
    def test_code_without_a_known_damage_is_not_changed(self, code: str) -> None:
        """A repair that is not certain could change what a correct program does."""
        action = read_action(action_with_code(code))

        assert action.code == code
