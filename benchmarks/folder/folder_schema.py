"""The tool schema of a folder's task.

It declares the calls that scripts can make, such as `harness.read(path)`, and the initial
calls: those that are made before the first step, so that the prompt shows their results.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from controlplane.benchmarks.folder.declared_tool import declared_tool
from controlplane.benchmarks.folder.task_folder import FolderTask
from controlplane.sandbox.interface import (
    FILE_OPERATIONS,
    DocumentDates,
    EachOf,
    InitialCall,
    NamedFiles,
    Plain,
    ToolSchema,
)

DOCUMENTS: Final = "/docs"
"""The folder of a task's documents, which state rules. The files elsewhere are its records."""
DOCUMENT_DATES: Final = DocumentDates(
    in_names=True,
    from_keys=("valid_from", "effective_from", "effective"),
    until_keys=("valid_until", "effective_until", "expires"),
)
"""How a document says when it is valid: by a date in its name, or by these keys.

The keys are in its front matter, which is lines such as `valid_from: 2027-03-01` at its start.
"""
TREE_LEVELS: Final = 8
"""How deep the tree in the initial prompt is drawn."""
MAX_LISTED_FILES: Final = 6
"""The most files of one folder in the tree. A larger folder shows its first files and a count."""
HELP_CHARS: Final = 200
"""The characters of each tool's help in the initial prompt."""
ALL_FILES: Final = 0
"""The `limit` with which the operation `find` returns all files."""


def tool_schema_of(task: FolderTask) -> ToolSchema:
    """Return the tool schema of a task's trials.

    The initial prompt shows the tree, the output of tools without arguments, the rules,
    the relevant documents below `/docs`, and the files that the instruction names.
    """
    operations = list(FILE_OPERATIONS)
    if not task.file.tool:
        operations = [operation for operation in operations if operation.name != "exec"]
    return ToolSchema(
        operations=tuple(operations),
        executables=tuple(declared_tool(tool) for tool in task.file.tool),
        rules_document=_rules_of(task),
        trusted_roots=(f"{DOCUMENTS}/",),
        initial_calls=tuple(_initial_calls(task)),
        named_files=_named_files(task),
        document_dates=DOCUMENT_DATES,
    )


def _rules_of(task: FolderTask) -> str:
    """Return the path of the rules; empty if there are none."""
    return task.file.rules if task.file.rules in task.files else ""


def _initial_calls(task: FolderTask) -> Iterator[InitialCall]:
    """Yield the calls whose results appear in the initial prompt, in order.

    For a world with the tool `/bin/date` and documents, they are: the tree of the world,
    `/bin/date`, the rules, each document below `/docs`, and `/bin/date --help`.
    """
    tree: dict[str, Plain] = {"root": "/", "level": TREE_LEVELS}
    yield InitialCall("tree", tree, longest_listing=MAX_LISTED_FILES)
    for tool in task.file.tool:
        # A tool that changes nothing and may be called without arguments.
        if tool.kind == "reads" and any(not call.args for call in tool.call):
            yield InitialCall("exec", {"path": tool.path})
    rules = _rules_of(task)
    if rules:
        yield InitialCall("read", {"path": rules})
    if any(_is_document(path) for path in task.files):
        yield _documents_call()
    for tool in task.file.tool:
        asks_for_help: dict[str, Plain] = {"path": tool.path, "args": ["--help"]}
        yield InitialCall("exec", asks_for_help, most_chars=HELP_CHARS)


def _is_document(path: str) -> bool:
    return path.startswith(f"{DOCUMENTS}/") and path.endswith(".md")


def _documents_call() -> InitialCall:
    """Return the call that reads each document below `/docs`.

    The prompt shows only the documents that share the most words with the instruction.
    """
    find: dict[str, Plain] = {
        "name": "*.md",
        "root": DOCUMENTS,
        "kind": "files",
        "limit": ALL_FILES,
    }
    # `paths` is in the result of `find`.
    each_document = EachOf("find", find, field="paths")
    return InitialCall("read", each_of=each_document, is_ranked=True)


def _named_files(task: FolderTask) -> NamedFiles | None:
    """Return where files may be that the instruction names, such as `/loans/l-1.json`.

    The prompt shows these files. None if the world has no folders for them.
    """
    folders = _folders_of_records(task)
    if not folders:
        return None
    return NamedFiles(folders, search="search")  # The operation that finds them.


def _folders_of_records(task: FolderTask) -> tuple[str, ...]:
    """Return the top-level folders of the world, except the one for documents.

    The files `/loans/l-1.json`, `/docs/a.md` and `/notes.md` -> `("/loans",)`.
    """
    folders = set()
    for path in task.files:
        _, top_name, *names_below = path.split("/")
        if names_below:  # Otherwise it is a file, such as `/notes.md`.
            folders.add(f"/{top_name}")
    return tuple(sorted(folders - {DOCUMENTS}))
