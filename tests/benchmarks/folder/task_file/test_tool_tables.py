"""A task.toml may define tools for its agent, and faults of them are reported by number and key.

A tool of the kind "changes" may change files, any other only reads. Each `[[tool.call]]` says for
which arguments (`args`) something happens: a file is read, set, appended to or deleted.
"""

import pytest

from tests.benchmarks.folder.task_file.parsed_tasks import fault_of


@pytest.mark.parametrize(
    ("tools", "fault"),
    [
        pytest.param(
            """
            [[tool]]
            path = "/bin/a"
            kind = "writes"
            """,
            "t.toml: tool[0].kind: Input should be 'reads' or 'changes'",
            id="an unknown kind of tool",
        ),
        pytest.param(
            """
            [[tool]]
            path = "/bin/a"
            [[tool]]
            path = "/bin/a"
            """,
            "t.toml: tool[1].path: /bin/a is defined twice",
            id="two tools with one path",
        ),
        pytest.param(
            """
            [[tool]]
            path = "/bin/a"
            [[tool.call]]
            exit_code = 300
            """,
            "tool[0].call[0].exit_code: Input should be less",
            id="an exit code above 255",
        ),
        pytest.param(
            """
            [[tool]]
            path = "/bin/a"
            [[tool.call]]
            args = ['a', '(']
            """,
            "t.toml: tool[0].call[0].args: error parsing regexp `(`",
            id="two arguments, of which one is no pattern",
        ),
        pytest.param(
            """
            [[tool]]
            path = "/bin/a"
            [[tool.call]]
            prints = '{1}'
            """,
            "tool[0].call[0]: {1} is named, but args has 0",
            id="a group that args lacks",
        ),
    ],
)
def test_a_fault_of_a_tool_is_reported_in_one_line_with_file_and_key(
    tools: str, fault: str
) -> None:
    message = fault_of(
        f'instruction = "Count."\n{tools}\n[expected]\noutcome = "OUTCOME_OK"\n'
    )

    assert fault in message
    assert "\n" not in message


@pytest.mark.parametrize(
    ("tools", "fault"),
    [
        pytest.param(
            """
            [[tool]]
            path = "/bin/a"
            kind = "changes"
            [[tool.call]]
            file = "/a"
            """,
            "t.toml: tool[0].call[0]: file and set, or file and",
            id="a file, but no effect on it",
        ),
        pytest.param(
            """
            [[tool]]
            path = "/bin/a"
            [[tool.call]]
            file = "/a"
            set = { b = 1 }
            """,
            't.toml: tool[0].call[0].set: a tool that changes files needs kind = "changes"',
            id="a tool that only reads sets a field",
        ),
        pytest.param(
            """
            [[tool]]
            path = "/bin/a"
            kind = "changes"
            [[tool.call]]
            file = '/a'
            delete = true
            append = 'x'
            """,
            "cannot also set or append",
            id="delete and append",
        ),
        pytest.param(
            """
            [[tool]]
            path = "/bin/a"
            kind = "changes"
            [[tool.call]]
            file = '/a.csv'
            set = { b = 1 }
            """,
            "row goes with set or when on a",
            id="set in a table without a row",
        ),
    ],
)
def test_a_fault_of_a_change_is_reported_in_one_line_with_file_and_key(
    tools: str, fault: str
) -> None:
    message = fault_of(
        f'instruction = "Count."\n{tools}\n[expected]\noutcome = "OUTCOME_OK"\n'
    )

    assert fault in message
    assert "\n" not in message
