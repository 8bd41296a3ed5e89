"""Writes the system prompt, with its reference of the functions that a script can call.

The reference has one line for each operation of the environment, in four groups:

    - read(path) -> .content .truncated .json(): a file          the environment's own
      operations
    - `harness.search` ...                                        tools of servers
    - due_date(loan): the day on which a loan ends                functions of the
      benchmark
    - changes: /bin/renew prolongs a loan                         executables
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from controlplane.agent.loop.example_reply import FENCED_FORM, JSON_FORM, example_reply
from controlplane.agent.loop.prompt_texts import (
    FOLDER,
    Prompts,
    default_prompts,
    read_text,
)
from controlplane.sandbox.interface import Operation, ToolSchema, bounds, signature

# The next texts are for the model.

FUNCTIONS_TITLE: Final = (
    "\n`harness.tools.NAME` gives .value, .notes (doubts); its reads count:"
)
FUNCTION_EXAMPLE: Final = (
    "r = harness.tools.{}; print(r.value, r.notes); scratchpad.cite_all(r)"
)
SERVERS_TITLE: Final = (
    "\nTools of servers. Each returns .text, .data (parsed, if it is structured; its keys are attributes too) and\n"
    ".call_path, which counts as read: `scratchpad.cite(result.call_path, reason, quote)`.\n"
)
CALL_PATH_NOTE: Final = "\nA result's .call_path counts as read: `scratchpad.cite(result.call_path, reason, quote)`.\n"
CALL_PATH: Final = "call_path"
"""The result field with the path under which a result can be cited."""
MAX_DESCRIBED_TOOLS: Final = 40
"""If servers have more tools than this, only their names are listed. Each server's
first tool is not counted, so that tools of many small servers are described, too."""


def system_prompt(
    tool_schema: ToolSchema, prompts: Prompts | None = None, *, in_fences: bool = False
) -> str:
    """Return the system prompt for an environment. All its trials have the same.

    `prompts` default to the product's own. `in_fences` asks for scripts in ```python
    fences instead of JSON.
    """
    prompts = prompts or default_prompts()
    is_cited = tool_schema.citations != "none"
    harness_lines = list(_operation_lines(tool_schema.operations, is_cited=is_cited))
    executable_lines = list(_executable_lines(tool_schema))
    text = prompts.filled(
        "system" if is_cited else "uncited",
        form=FENCED_FORM if in_fences else JSON_FORM,
        example=example_reply(tool_schema, in_fences=in_fences),
        harness="\n".join(harness_lines),
        executables="\n".join(executable_lines) or "(none declared)",
    )
    return prompts.with_hints(text)


def served_text(tool_schema: ToolSchema) -> str:
    """Return the text about scripts for another program that works on a trial through
    our server."""
    lines = list(_operation_lines(tool_schema.operations, is_cited=True))
    lines += _executable_lines(tool_schema)
    # A user's prompts do not replace this text, so it is read directly.
    return read_text(FOLDER / "served.md").replace("{{harness}}", "\n".join(lines))


def tool_line(operation: Operation) -> str:
    """Return the line about a server's tool: its call with types, and its summary."""
    return f"{signature(operation)}: {operation.summary}"


def _executable_lines(tool_schema: ToolSchema) -> Iterator[str]:
    """Yield a line for each kind of executable: `- reads: /bin/date tells the time;
    /bin/loans`."""
    texts_by_kind: dict[str, list[str]] = {}
    for executable in tool_schema.executables:
        text = f"{executable.path} {executable.summary}".rstrip()
        texts_by_kind.setdefault(str(executable.kind), []).append(text)
    for kind, texts in texts_by_kind.items():
        yield f"- {kind}: {'; '.join(texts)}"


def _operation_lines(
    operations: Sequence[Operation], *, is_cited: bool
) -> Iterator[str]:
    """Yield a line for each operation, with a title before each group except the first.

    Without citations, the result field `call_path`, under which a result is cited, is
    left out.
    """
    # 1. Put the operations in groups. A tool of a server is called `server.tool`.
    own: list[Operation] = []
    functions: list[Operation] = []
    tools_by_server: dict[str, list[Operation]] = {}
    for operation in operations:
        server, dot, _ = operation.name.partition(".")
        is_function = bool(operation.finds)
        if operation.is_later:
            continue  # The environment offers it only later in the trial.
        if dot:
            tools_by_server.setdefault(server, []).append(operation)
        elif is_function:
            functions.append(operation)
        else:
            own.append(operation)

    # 2. The environment's own operations.
    for operation in own:
        yield _operation_line(operation, is_cited=is_cited)
    if is_cited and any(_returns_call_path(operation) for operation in own):
        yield CALL_PATH_NOTE

    # 3. The tools of servers.
    yield from _server_lines(tools_by_server)

    # 4. The functions of the benchmark.
    if functions:
        yield FUNCTIONS_TITLE
        yield FUNCTION_EXAMPLE.format(_example_call(functions))
    for function in functions:
        call = signature(function).removeprefix("harness.tools.")
        yield f"- {call}: {function.summary}"


def _returns_call_path(operation: Operation) -> bool:
    """Return True if a result of an operation has a path under which it can be
    cited."""
    return any(result_field.name == CALL_PATH for result_field in operation.fields)


def _example_call(functions: Sequence[Operation]) -> str:
    """Return the first declared example of a function, or else a call of the first
    function."""
    for function in functions:
        if function.example:
            return function.example
    return f"{functions[0].name}(...)"


def _operation_line(operation: Operation, *, is_cited: bool) -> str:
    """Return the line about an operation:

    `- list(path='/') -> .entries [.name .path .is_dir]: what a folder holds (path: of
    the folder)`
    """
    # 1. The fields of its result.
    results: list[str] = []
    for result_field in operation.fields:
        repeats_path = (
            result_field.name == operation.subject
        )  # The script knows the path.
        is_useless = result_field.name == CALL_PATH and not is_cited
        if repeats_path or is_useless:
            continue
        result = f".{result_field.name}"
        if result_field.items and not operation.drawn_as_tree:
            items = " ".join(f".{item}" for item in result_field.items)
            result += f" [{items}]"
        results.append(result)
    if operation.json_field:
        results.append(".json()")

    # 2. Its parameters.
    descriptions: list[str] = []
    for parameter in operation.parameters:
        if parameter.description:
            descriptions.append(f"{parameter.name}: {parameter.description}")

    # 3. The line.
    line = f"- {signature(operation).removeprefix('harness.')}"
    if results:
        line += f" -> {' '.join(results)}"
    line += f": {operation.summary}"
    if descriptions:
        line += f" ({'; '.join(descriptions)})"
    return line


def _server_lines(tools_by_server: dict[str, list[Operation]]) -> Iterator[str]:
    """Yield a line for each tool, or, if there are too many, a line of names for each
    server."""
    if not tools_by_server:
        return
    yield SERVERS_TITLE
    counted_tools = 0
    for tools in tools_by_server.values():
        counted_tools += (
            len(tools) - 1
        )  # without the first tool (see `MAX_DESCRIBED_TOOLS`)
    for server, tools in tools_by_server.items():
        if counted_tools <= MAX_DESCRIBED_TOOLS:
            for tool in tools:
                yield f"- {tool_line(tool)}"
        else:
            names = _tool_names(tools, bounds.SHOWN_NAMES_CHARS // len(tools_by_server))
            yield (
                f"- `harness.{server}`, described by `.help(tool)`, found by `.help(words)`: {names}"
            )


def _tool_names(tools: Sequence[Operation], max_chars: int) -> str:
    """Return the names of a server's tools, such as `list get`. A long list is cut
    after a name."""
    names = " ".join(tool.name.partition(".")[2] for tool in tools)
    if len(names) <= max_chars:
        return names
    return f"{names[:max_chars].rpartition(' ')[0]} ... and more"
