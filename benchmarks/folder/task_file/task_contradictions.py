"""Contradictions in a task.toml: values that are valid individually but not together.

For example, a task cannot have two tools with the same path. Such a task would fail only
in a trial, so its author is told when the folder is read.
"""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.benchmarks.folder.task_file.call_contradictions import (
    Contradiction,
    contradictions_in_call,
)
from controlplane.benchmarks.folder.task_file.expected_table import Expected
from controlplane.benchmarks.folder.task_file.task_file import TaskFile


def contradictions_in(task: TaskFile) -> list[Contradiction]:
    """Return the contradictions in a task, each with its key: `tool[0].path`."""
    contradictions: list[Contradiction] = []
    if task.expected is not None:
        contradictions += _contradictions_in_expected(task.expected)
    # A question that `ask` has saved always has the calls of `ask`, and no other tools.
    if task.question and task.tool:
        text = "a question has the calls of `ask`: remove its tools"
        contradictions.append(Contradiction("question", text))

    paths = set()  # Of the tools so far.
    for tool_number, tool in enumerate(task.tool):
        tool_key = f"tool[{tool_number}]"
        if tool.path in paths:
            text = f"{tool.path} is defined twice"
            contradictions.append(Contradiction(f"tool[{tool_number}].path", text))
        paths.add(tool.path)
        for call_number, call in enumerate(tool.call):
            call_key = f"{tool_key}.call[{call_number}]"
            contradictions += contradictions_in_call(tool, call, call_key)
    return contradictions


def _contradictions_in_expected(expected: Expected) -> Iterator[Contradiction]:
    """Yield the contradictions in the required end of a trial."""
    has_whole_answer = expected.answer is not None
    has_parts = bool(expected.pattern or expected.contains or expected.lacks)
    if has_whole_answer and has_parts:
        text = "answer is the only right answer: remove pattern, contains and lacks"
        yield Contradiction("expected.answer", text)
    for number, change in enumerate(expected.change):
        present_keys = [bool(change.file), change.text is not None, change.deleted]
        if present_keys.count(True) != 1:
            text = "exactly one of file, text and deleted must be given"
            yield Contradiction(f"expected.change[{number}]", text)
