"""The required end of a trial, from the table `[expected]` of a task.toml.

[expected]
outcome = "OUTCOME_OK"
references = ["/loans/l-1.json"]   # must be cited
tolerated = ["/loans/l-2.json"]    # may be cited
free = ["/docs/"]                  # all files in this folder may be cited
change = [{path = "/loans/l-1.json", file = "end/l-1.json"}]   # must have that file's text
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

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
    """Return the required end of a trial, in the form in which all benchmarks check it.

    `texts` reads the files that `expected` names, such as `end/l-1.json`. `source` is the text
    of the task.toml, for paths and messages; `file` is its contents; `files` are those that a
    trial sees. Raises `BenchmarkError` if `expected` names a file that is missing.
    """
    changes = {}
    for number, change in enumerate(expected.change):
        changes[change.path] = _wanted_text(texts, source, number, change, files)

    tool_paths = [tool.path for tool in file.tool]
    citable_paths = {*files, *changes, *tool_paths}
    for number, path in enumerate(expected.references):
        if path not in citable_paths:
            key = f"expected.references[{number}]"
            raise source.fault(key, f"{path} is not a file of the task's world")

    return Expectation(
        outcome=expected.outcome,
        message=expected.answer,
        tokens=expected.contains,
        forbidden=expected.lacks,
        references=frozenset(expected.references),
        tolerated=frozenset(expected.tolerated),
        free=_free_folders(expected, servers=file.mcp),
        changes=changes,
    )


def _free_folders(expected: Expected, servers: Iterable[str]) -> tuple[str, ...]:
    """Return the folders whose files may be cited. `servers` are names of MCP servers.

    Citations are graded only if task.toml has one of the keys on citations. Without them,
    any path may be cited: below `/`. Results of an MCP server's tools can always be cited.
    """
    keys_on_citations = {"references", "tolerated", "free"}
    grades_citations = not keys_on_citations.isdisjoint(expected.model_fields_set)
    folders = list(expected.free) if grades_citations else ["/"]
    for server in servers:
        folders.append(f"/mcp/{server}/")
    return tuple(folders)


def _wanted_text(
    texts: FolderTexts,
    source: TaskText,
    number: int,
    change: Change,
    files: Mapping[str, str],
) -> str | None:
    """Return the text that a file must have in the end; None if it must be deleted.

    `change` is the entry of `expected.change` with this number. Raises `BenchmarkError`.
    """
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
