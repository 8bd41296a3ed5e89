"""How `replay --trial` shows the result of a call: as a tree, as fields, or as lists, for reading.

→ look()
    docs/
      a
"""

import pytest

from controlplane.agent.events import CallRecord, StepDone
from controlplane.view.trial_pages.page_text import print_page
from controlplane.view.trial_pages.shown_steps import Page
from controlplane.view.trial_pages.trial_pages import step_parts

FILE_A = {"name": "a", "is_dir": False, "children": []}


def printed_result(
    result: dict[str, object], capsys: pytest.CaptureFixture[str]
) -> list[str]:
    """Print the page of a step with one call, and return the lines below the call.

    The last line of the page is a menu, and not part of the result.
    """
    call = CallRecord(operation="look", arguments={}, result=result, elapsed_ms=1)
    step = StepDone(trial_id="t", step=1, reply="", calls=(call,))
    scratchpad_before: dict[str, object] = {}
    parts = tuple(step_parts(step, scratchpad_before))
    print_page(Page("step 1", step=1, parts=parts, figures="end"))
    lines = [line.rstrip() for line in capsys.readouterr().out.splitlines()]

    call_line = 0
    while "→ look()" not in lines[call_line]:
        call_line += 1
    return lines[call_line + 1 : -1]


@pytest.mark.parametrize(
    ("result", "expected_lines"),
    [
        pytest.param(
            {"name": "docs", "is_dir": True, "children": [FILE_A]},
            ["    docs/", "      a"],
            id="tree of files",
        ),
        pytest.param(
            {"name": "ada", "is_dir": True, "children": ["bob"]},
            ["    name: ada", "    is_dir: true", "    children: bob"],
            id="person with children, who is not a folder",
        ),
        pytest.param(
            {"name": "ada", "is_dir": True, "children": None},
            ["    name: ada", "    is_dir: true", "    children: null"],
            id="field without a value",
        ),
        pytest.param(
            {"paths": ["/a", "/b"], "truncated": False},
            ["    paths:", "    /a", "    /b", "    truncated: false"],
            id="list of texts",
        ),
        pytest.param(
            {"entries": [{"n": 1}, {"n": 2}]},
            ["    entries:", '    {"n": 1}', '    {"n": 2}'],
            id="list of objects",
        ),
        pytest.param({"paths": []}, ["    paths: []"], id="empty list"),
        pytest.param({}, ["    (nothing)"], id="empty result"),
    ],
)
def test_a_result_of_a_call_is_shown_for_reading(
    result: dict[str, object],
    expected_lines: list[str],
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert printed_result(result, capsys) == expected_lines
