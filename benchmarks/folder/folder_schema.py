"""The tool schema of a folder's task.

It declares the calls of scripts, and those whose results are in the initial prompt.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from controlplane.benchmarks.folder.task_file import Tool, ToolCall
from controlplane.benchmarks.folder.task_folder import FolderTask
from controlplane.sandbox.interface import (
    FILE_OPERATIONS,
    DocumentDates,
    EachOf,
    Executable,
    ExecutableKind,
    FileArguments,
    InitialCall,
    NamedFiles,
    Plain,
    ToolSchema,
)

DOCUMENTS: Final = "/docs"
DOCUMENT_DATES: Final = DocumentDates(
    in_names=True,
    from_keys=("valid_from", "effective_from", "effective"),
    until_keys=("valid_until", "effective_until", "expires"),
)
"""How a document says when it is valid: by a date in its name, or by these keys.

The keys are in its front matter, `key: value` lines at its start.
"""
ANY_ARGUMENT_PATTERNS: Final = ("(.+)", "(.*)", r"(\S+)", r"(\S*)")
"""The usual patterns of `args` in task files that match any argument, such as a path."""
TREE_LEVELS: Final = 8
"""The levels of folders in the initial prompt's tree."""
TREE_NAMES: Final = 6
"""The most names of a folder that the tree lists in full."""
HELP_CHARS: Final = 200
"""The characters of each tool's help in the initial prompt."""
NO_LIMIT: Final = 0


def tool_schema_of(task: FolderTask) -> ToolSchema:
    """Return the tool schema of a task's trials.

    The initial prompt shows the tree, the output of tools without arguments, the rules,
    the relevant documents below `/docs`, and the files that the instruction names.
    """
    operations = list(FILE_OPERATIONS)
    if not task.file.tool:
        operations = [operation for operation in operations if operation.name != "exec"]
    # The initial prompt shows the files in these folders that the instruction names.
    folders = _folders_of_records(task)
    return ToolSchema(
        operations=tuple(operations),
        executables=tuple(_executable(tool) for tool in task.file.tool),
        rules_document=_rules_of(task),
        trusted_roots=(f"{DOCUMENTS}/",),
        initial_calls=tuple(_initial_calls(task)),
        named_files=NamedFiles(folders, search="search") if folders else None,
        document_dates=DOCUMENT_DATES,
    )


def _rules_of(task: FolderTask) -> str:
    """Return the path of the rules; empty if there are none."""
    return task.file.rules if task.file.rules in task.files else ""


def _initial_calls(task: FolderTask) -> Iterator[InitialCall]:
    """Yield the calls whose results appear in the initial prompt, in order."""
    tree: dict[str, Plain] = {"root": "/", "level": TREE_LEVELS}
    yield InitialCall("tree", tree, longest_listing=TREE_NAMES)
    for tool in task.file.tool:
        if tool.kind == "reads" and any(not call.args for call in tool.call):
            yield InitialCall("exec", {"path": tool.path})  # such as the date
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
    """Return the call that reads the documents that fit the instruction best."""
    find: dict[str, Plain] = {
        "name": "*.md",
        "root": DOCUMENTS,
        "kind": "files",
        "limit": NO_LIMIT,
    }
    return InitialCall("read", {}, EachOf("find", find, field="paths"), is_ranked=True)


def _folders_of_records(task: FolderTask) -> tuple[str, ...]:
    """Return the top-level folders of the world, except the one for documents."""
    folders = set()
    for path in task.files:
        _, top_name, *names_below = path.split("/")  # `/loans/l-1.json` -> `loans`
        if names_below:
            folders.add(f"/{top_name}")
    return tuple(sorted(folders - {DOCUMENTS}))


def _executable(tool: Tool) -> Executable:
    """Return a tool's declaration. A tool that only prints a file counts as reading the file."""
    files = None
    if tool.call and all(_prints_its_file(call) for call in tool.call):
        files = FileArguments()
    return Executable(tool.path, ExecutableKind(tool.kind), tool.summary, files)


def _prints_its_file(call: ToolCall) -> bool:
    """Return True if a call takes only the path of a file and prints the file.

    In a task.toml, this is `args = "(.+)"` and `shows = "{1}"`: `{1}` is the text that
    the group matched, and `shows` is the path of the file to print.
    """
    if len(call.patterns) != 1 or call.patterns[0] not in ANY_ARGUMENT_PATTERNS:
        return False
    return call.shows == "{1}"
