"""A `task.toml` that is not TOML is refused in one line, with the file and the line of the fault.

`t.toml:3: this is not TOML` is a fault on line 3 of the file `t.toml`.
"""

import pytest

from tests.benchmarks.folder.task_file.parsed_tasks import fault_of


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        pytest.param("instruction = \n", "t.toml:1: this is not TOML", id="no value"),
        pytest.param(
            'instruction = "Count."\n\n[expected\n',
            "t.toml:3: this is not TOML",
            id="an open bracket",
        ),
        pytest.param(
            'instruction = """Count.\n', "this is not TOML", id="an open text"
        ),
    ],
)
def test_a_text_that_is_not_toml_is_reported_with_its_line(
    text: str, fault: str
) -> None:
    message = fault_of(text)

    assert fault in message
    assert "\n" not in message
