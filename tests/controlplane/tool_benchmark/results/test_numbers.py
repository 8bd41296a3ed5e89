"""The result of a tool that returns a number is that number for a script, and has a path, too.

By the path, such as "/calls/count_letters/...", an answer can cite the call. A tool is a Python function,
which a script of the model calls.
"""

from pathlib import Path

from controlplane import Tool
from tests.controlplane.tool_benchmark.results.printing_scripts import printed_by_script


def count_letters(name: str) -> int:
    """Count the letters of a name."""
    return len(name)


def test_a_number_prints_as_itself(tmp_path: Path) -> None:
    """Within a list, too."""
    printed = printed_by_script(
        tmp_path,
        Tool(count_letters, "returns"),
        'number = harness.count_letters(name="A-7")',
        "print(number)",
        "print([number])",
    )

    assert printed == ["3", "[3]"]


def test_a_result_has_the_path_by_which_an_answer_can_cite_its_call(
    tmp_path: Path,
) -> None:
    """Even a number has it."""
    printed = printed_by_script(
        tmp_path,
        Tool(count_letters, "returns"),
        'print(harness.count_letters(name="A-7").call_path)',
    )

    (path,) = printed
    assert path.startswith("/calls/")
