"""The result of a tool, a Python function, as a script of the model gets it.

It is the value that the function has returned, and more: the path by which an answer can cite the call.
"""

from pathlib import Path

from controlplane import Task, Tool
from tests.controlplane.tool_benchmark.played_runs import only_trial
from tests.controlplane.tool_benchmark.scripted_model import (
    ModelWithScripts,
    run_without_gates,
    script_with_answer,
)


def printed_by_script(folder: Path, tool: Tool, *lines: str) -> list[str]:
    """Return the lines that a script of these lines prints, in a run of a task with this tool."""
    task = Task("print.1", "Print results.", tools=[tool])
    model = ModelWithScripts(script_with_answer(*lines))
    run = run_without_gates([task], model, folder)
    (step,) = only_trial(run).record.step_summaries
    return step.output.splitlines()


def count_letters(name: str) -> int:
    """Count the letters of a name."""
    return len(name)


def stock_of(name: str) -> dict[str, object]:
    """Look up the stock of an article."""
    return {"items": [name], "left": 12}


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


def test_a_dict_prints_as_itself(tmp_path: Path) -> None:
    printed = printed_by_script(
        tmp_path,
        Tool(stock_of, "returns"),
        'print(harness.stock_of(name="A-7"))',
    )

    assert printed == ["{'items': ['A-7'], 'left': 12}"]


def test_the_fields_of_a_dict_are_attributes_of_the_result(tmp_path: Path) -> None:
    """`stock.items` is the field, and not the method that a dict has."""
    printed = printed_by_script(
        tmp_path,
        Tool(stock_of, "returns"),
        'stock = harness.stock_of(name="A-7")',
        "print(stock.left, stock.items)",
    )

    assert printed == ["12 ['A-7']"]


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
