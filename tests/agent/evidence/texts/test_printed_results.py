"""Lines of keys and values, such as `roles: clerk`, are data if a program printed them.

The programs, such as `/bin/id`, are a part of the environment, so their output is trusted. A tool may
return a mail of such lines. A mail is running text and not trusted, since anybody may have written it.
"""

from controlplane.agent.evidence.texts.result_texts import texts_of_result


def test_keys_and_values_that_a_program_prints_are_data() -> None:
    printed = {"stdout": "user: emp-007\nroles: clerk\n"}

    for text in texts_of_result(printed, is_program_output=True):
        assert text.is_data


def test_keys_and_values_that_a_tool_returns_are_running_text() -> None:
    returned = {"stdout": "user: emp-007\nroles: clerk\n"}

    for text in texts_of_result(returned):
        assert not text.is_data
