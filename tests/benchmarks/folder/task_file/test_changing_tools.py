"""Tools in a `task.toml` that change files. Faults of them are reported by number and key.

Only a tool of the kind "changes" may do so. Each `[[tool.call]]` says what happens to a file: it is
set, appended to or deleted. `t.toml: tool[0].call[0]` is the first call of the first tool.
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
