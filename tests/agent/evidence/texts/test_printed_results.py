"""Lines of keys and values are data if a program of the environment printed them.

`roles: clerk` is such a line. The programs are the environment's own, and anybody may write a mail of
such lines, which is running text and not trusted.
"""

import json

from controlplane.agent.evidence.texts.result_texts import texts_of_result


def test_keys_and_values_that_a_program_prints_are_data() -> None:
    """The programs of an environment are its own, such as `/bin/id`."""
    printed = {"stdout": "user: emp-007\nroles: clerk\n"}

    for text in texts_of_result(printed, is_program_output=True):
        assert text.is_data


def test_keys_and_values_that_a_tool_returns_are_running_text() -> None:
    """A tool may return a mail that consists of keys and values."""
    returned = {"stdout": "user: emp-007\nroles: clerk\n"}

    for text in texts_of_result(returned):
        assert not text.is_data


def test_a_result_in_the_form_of_yaml_may_have_half_a_character() -> None:
    """An emoji takes two escapes in JSON. The first one alone is half a character, which UTF-8
    and the parser of YAML refuse."""
    value = json.dumps("- \ud83d")  # '"- \\ud83d"'

    (text,) = texts_of_result({"value": value})

    assert text.text == "- \ud83d"
