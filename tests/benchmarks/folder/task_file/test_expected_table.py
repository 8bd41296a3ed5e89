"""The table `[expected]` of a task.toml says what is right, and its faults are reported by key.

An answer may have to cite files (`references`), fit a `pattern`, or come with a `change` of a file.
"""

import pytest

from tests.benchmarks.folder.task_file.parsed_tasks import fault_of


@pytest.mark.parametrize(
    ("lines", "fault"),
    [
        pytest.param(
            'references = ["a"]',
            "t.toml: expected.references[0]: 'a' is not a path of the task's world",
            id="a reference that is no path",
        ),
        pytest.param(
            'references = ["/a/../../b"]',
            "write it as '/b'",
            id="a reference with dots",
        ),
        pytest.param(
            "pattern = '('",
            "t.toml: expected.pattern: error parsing regexp `(`",
            id="a pattern that is no pattern",
        ),
        pytest.param(
            r"pattern = '\N{DIGIT ONE}'",
            "RE2 writes a character by its number",
            id="a pattern that names a character",
        ),
        pytest.param(
            "pattern = '" + "x" * 4001 + "'",
            "a pattern has at most 4000 characters, not 4001",
            id="a pattern that is too long",
        ),
        pytest.param(
            'answer = "2"\ncontains = ["2"]',
            "t.toml: expected.answer: answer is the only right answer",
            id="an answer, and a text that it contains",
        ),
        pytest.param(
            '[[expected.change]]\npath = "/a"',
            "t.toml: expected.change[0]: exactly one of file, text and",
            id="a change without a result",
        ),
        pytest.param(
            '[[expected.change]]\npath = "/a"\ntext = ""\ndeleted = true',
            "t.toml: expected.change[0]: exactly one of",
            id="a change with two results",
        ),
    ],
)
def test_a_fault_of_an_expectation_is_reported_in_one_line_with_file_and_key(
    lines: str, fault: str
) -> None:
    message = fault_of(
        f'instruction = "Count."\n[expected]\noutcome = "OUTCOME_OK"\n{lines}\n'
    )

    assert fault in message
    assert "\n" not in message
