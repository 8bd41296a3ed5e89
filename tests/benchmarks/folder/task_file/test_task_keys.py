"""A fault of a `task.toml` is reported in one line, with the file and the key.

The smallest task says what to do and which outcome is right:

    instruction = "Count."
    [expected]
    outcome = "OUTCOME_OK"
"""

import pytest

from tests.benchmarks.folder.task_file.parsed_tasks import fault_of, parse


def test_the_smallest_task_is_accepted() -> None:
    task = parse('instruction = "Count."\n[expected]\noutcome = "OUTCOME_OK"\n')

    assert task.instruction == "Count."
    assert task.expected.outcome == "OUTCOME_OK"


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        pytest.param(
            '[expected]\noutcome = "OUTCOME_OK"\n',
            "t.toml: instruction: it is required",
            id="no instruction",
        ),
        pytest.param(
            'instruction = "Count."\n[expected]\n',
            "t.toml: expected.outcome: it is required",
            id="no outcome",
        ),
        pytest.param(
            'instruction = "Count."\nrule = "/A"\n[expected]\noutcome = "OUTCOME_OK"\n',
            "t.toml: rule: there is no such key; did you mean 'rules'?",
            id="a misspelt key",
        ),
        pytest.param(
            'instruction = "Count."\n[expected]\noutcome = "OUTCOME_OK"\nanswr = "2"\n',
            "t.toml: expected.answr: there is no such key; did you mean 'answer'?",
            id="a misspelt key of a table",
        ),
        pytest.param(
            'instruction = "Count."\n[expected]\noutcome = "OUTCOME_K"\n',
            "t.toml: expected.outcome: Input should be 'OUTCOME_OK', ",
            id="an unknown outcome",
        ),
    ],
)
def test_a_fault_is_reported_in_one_line_with_file_and_key(
    text: str, fault: str
) -> None:
    message = fault_of(text)

    assert fault in message
    assert "\n" not in message


def test_of_several_faults_the_first_is_reported_and_the_others_are_counted() -> None:
    message = fault_of(
        'instruction = "Count."\none = 1\ntwo = 2\n[expected]\noutcome = "OUTCOME_OK"\n'
    )

    assert message.startswith("t.toml: one: there is no such key")
    assert "(and 1 more)" in message
    assert "\n" not in message
