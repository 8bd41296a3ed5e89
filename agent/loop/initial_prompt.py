"""The system prompt, derived from the environment's declaration, and the first message."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from agent.events import ConversationOpened
from agent.evidence.recorder import Recorder
from agent.first_message.initial_calls import FirstMessage, InitialPromptLimits
from agent.first_message.sections import without_marks
from agent.loop.prompt_texts import FOLDER, Prompts, default_prompts, read_text
from sandbox.interface import Operation, ToolSchema, signature

FINDINGS: Final = "\n`harness.tools.NAME` gives .value, .notes (doubts); its reads count:"
EXAMPLE: Final = "r = harness.tools.{}; print(r.value, r.notes); scratchpad.cite_all(r)"
SERVER_TOOLS: Final = (
    "\nTools of servers. Each returns .text, .data (parsed, if it is structured; its keys are attributes too) and\n"
    ".call_path, which counts as read: `scratchpad.cite(result.call_path, reason, quote)`.\n"
)
RESULTS: Final = "\nA result's .call_path counts as read: `scratchpad.cite(result.call_path, reason, quote)`.\n"
MOST_NAMES_CHARS: Final = 6_000


def build_initial_prompt(
    instruction: str,
    recorder: Recorder,
    limits: InitialPromptLimits,
    *,
    prompts: Prompts | None = None,
) -> ConversationOpened:
    """Make the initial calls and return the conversation's begin: the system prompt and the first message.

    `prompts` default to the product's own.
    """
    prompts = prompts or default_prompts()
    first = FirstMessage(recorder, instruction, limits).open()
    prompt = prompts.filled("first_message", instruction=without_marks(instruction))
    return first.conversation(system_prompt(first.offered, prompts), first.message(prompt))


def system_prompt(tool_schema: ToolSchema, prompts: Prompts | None = None) -> str:
    """Return the system prompt for an environment: the same for every trial of one declaration."""
    prompts = prompts or default_prompts()
    text = prompts.filled(
        "uncited" if tool_schema.citations == "none" else "system",
        harness="\n".join(
            _references(tool_schema.operations, ("call_path",) if tool_schema.citations == "none" else ())
        ),
        executables="\n".join(_executables(tool_schema)) or "(none declared)",
    )
    return prompts.with_hints(text)


def _executables(tool_schema: ToolSchema) -> Iterator[str]:
    """Yield a line for each kind of executable."""
    for kind in dict.fromkeys(executable.kind for executable in tool_schema.executables):
        same = [executable for executable in tool_schema.executables if executable.kind is kind]
        yield f"- {kind}: " + "; ".join(f"{one.path} {one.summary}".rstrip() for one in same)


def served_text(tool_schema: ToolSchema) -> str:
    """Return the text on scripts for a program that works on a trial by tools."""
    lines = [*_references(tool_schema.operations), *_executables(tool_schema)]
    return read_text(FOLDER / "served.md").replace("{{harness}}", "\n".join(lines))


def _references(operations: Sequence[Operation], left_out: tuple[str, ...] = ()) -> Iterator[str]:
    """Yield a line for each call, without the result fields that are `left_out`."""
    yield from (_reference(one, left_out) for one in operations if not (one.finds or "." in one.name))
    own = [one for one in operations if "." not in one.name and not one.finds]
    if "call_path" not in left_out and any(one.name == "call_path" for call in own for one in call.fields):
        yield RESULTS
    yield from _servers(operations)
    functions = [operation for operation in operations if operation.finds]
    if functions:
        yield FINDINGS
        yield EXAMPLE.format(next(filter(None, (one.example for one in functions)), f"{functions[0].name}(...)"))
        yield from (
            f"- {signature(function).removeprefix('harness.tools.')}: {function.summary}" for function in functions
        )


def _servers(operations: Sequence[Operation]) -> Iterator[str]:
    """Yield the tools of servers: one line for each tool, or only the names if there are many."""
    servers: dict[str, list[Operation]] = {}
    for operation in operations:
        if "." in operation.name:
            servers.setdefault(operation.name.partition(".")[0], []).append(operation)
    if servers:
        yield SERVER_TOOLS
    count = sum(map(len, servers.values())) - len(servers)
    for server, tools in servers.items():
        # Max tools of servers that the system prompt describes; if there are more, it gives only names.
        if count <= 40:
            yield from (f"- {tool_line(tool)}" for tool in tools)
            continue
        names = " ".join(tool.name.partition(".")[2] for tool in tools)
        more = " ... and more" if len(names) > MOST_NAMES_CHARS // len(servers) else ""
        shown = names[: MOST_NAMES_CHARS // len(servers)].rpartition(" ")[0] if more else names
        yield f"- `harness.{server}`, described by `.help(tool)`, found by `.help(words)`: {shown}{more}"


def tool_line(operation: Operation) -> str:
    """Return one line on a server's tool: its call with types, and its summary."""
    parameters = ", ".join(f"{one.name}: {one.type_text}" for one in operation.parameters)
    return f"harness.{operation.name}({parameters}): {operation.summary}"


def _reference(operation: Operation, left_out: tuple[str, ...] = ()) -> str:
    fields = " ".join(
        f".{result.name}"
        + (
            f" [{' '.join('.' + item for item in result.items)}]"
            if result.items and not operation.drawn_as_tree
            else ""
        )
        for result in operation.fields
        if result.name != operation.subject and result.name not in left_out
    )
    parsed = " .json()" if operation.json_field else ""
    called = signature(operation).removeprefix("harness.")
    returned = (fields + parsed).strip()
    described = [f"{one.name}: {one.description}" for one in operation.parameters if one.description]
    about = f" ({'; '.join(described)})" if described else ""
    return f"- {called}{f' -> {returned}' if returned else ''}: {operation.summary}{about}"
