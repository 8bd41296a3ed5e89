"""The required end of a trial, from the table `[expected]` of a task.toml.

[expected]
outcome = "OUTCOME_OK"
references = ["/loans/l-1.json"]                                # must be cited
tolerated = ["/loans/l-2.json"]                                 # may be cited
free = ["/docs/"]                                               # so may all files there
change = [{path = "/loans/l-1.json", file = "end/l-1.json"}]    # the text in the end
"""

from __future__ import annotations

from collections.abc import Mapping

from controlplane.benchmarks.folder.folder_texts import FolderTexts
from controlplane.benchmarks.folder.task_file.expected_table import Change, Expected
from controlplane.benchmarks.folder.task_file.task_file import TASK_FILE, TaskFile
from controlplane.benchmarks.folder.task_text import TaskText
from controlplane.local_benchmark.expectation import Expectation


def expectation_of(
    texts: FolderTexts,
    source: TaskText,
    file: TaskFile,
    expected: Expected,
    files: Mapping[str, str],
) -> Expectation:
    """Return the required end of a trial. Raises `BenchmarkError`."""
    changes = {}
    for number, change in enumerate(expected.change):
        changes[change.path] = _wanted_text(texts, source, number, change, files)

    tool_paths = [tool.path for tool in file.tool]
    citable_paths = {*files, *changes, *tool_paths}
    for number, path in enumerate(expected.references):
        if path not in citable_paths:
            key = f"expected.references[{number}]"
            raise source.fault(key, f"{path} is not a file of the task's world")

    # Citations are graded only if task.toml has one of these keys. Otherwise any path
    # may be cited.
    keys_on_citations = {"references", "tolerated", "free"}
    grades_citations = not keys_on_citations.isdisjoint(expected.model_fields_set)
    free_folders = list(expected.free) if grades_citations else ["/"]
    for server in file.mcp:  # Results of tools of MCP servers have such paths.
        free_folders.append(f"/mcp/{server}/")

    return Expectation(
        outcome=expected.outcome,
        message=expected.answer,
        tokens=expected.contains,
        forbidden=expected.lacks,
        references=frozenset(expected.references),
        tolerated=frozenset(expected.tolerated),
        free=tuple(free_folders),
        changes=changes,
    )


def _wanted_text(
    texts: FolderTexts,
    source: TaskText,
    number: int,
    change: Change,
    files: Mapping[str, str],
) -> str | None:
    """Return the text that a file must have in the end; None if it must be deleted."""
    if change.deleted:
        if change.path not in files:
            text = f"{change.path} is not a file that could be deleted"
            path_key = f"expected.change[{number}].path"
            raise source.fault(path_key, text)
        return None
    if not change.file:
        return change.text or ""
    file_key = f"expected.change[{number}].file"
    try:
        return texts.read(source.path_in_folder(change.file, file_key))
    except OSError:
        text = f"there is no file {change.file!r} beside {TASK_FILE}"
        raise source.fault(file_key, text) from None
