"""Tools that a `task.toml` defines for its agent. Faults of them are reported by number and key.

Each `[[tool.call]]` says for which arguments (`args`) something happens: the tool prints a text, for
example. `t.toml: tool[0].path` is the key `path` of the first tool in the file `t.toml`.
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
