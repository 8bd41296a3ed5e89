"""A trial's environment with the tools of MCP servers: declared from their schemas, called by scripts, citable.

A tool that may change something is called only if the user allows it: by `--allow`, or when asked on a terminal.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from controlplane.agent.evidence import Environment
from controlplane.agent.loop import tool_line
from controlplane.errors import UsageError, did_you_mean
from controlplane.mcp.server_specs import ToolAccess
from controlplane.mcp.tool_server import ToolServer, line_of, running
from controlplane.sandbox.interface import (
    CallError,
    Effect,
    Operation,
    Parameter,
    Plain,
    ResultField,
    ToolSchema,
    bounds,
    error_codes,
    schema_fault,
)
from controlplane.terminal_text import sanitize
from controlplane.tool_benchmark import (
    citable_result,
    is_adapted,
    parameters_of,
    plain_name,
    script_name,
)

if TYPE_CHECKING:
    from mcp import types

FIELDS: Final = (ResultField("call_path"), ResultField("text"), ResultField("data"))


@dataclass(frozen=True, slots=True)
class OfferedTool:
    """One tool, as scripts call it."""

    server: ToolServer
    tool: types.Tool
    operation: Operation
    spellings: Mapping[str, str]
    """The server's name of each parameter, by the script's name."""
    names: tuple[str, ...]
    """The names by which the user may allow the tool: the server's, and as scripts say it if that is one tool."""
    all_names: tuple[str, ...]
    """The names by which the user may deny the tool, alone or with tools whose names read alike in scripts."""


@dataclass(slots=True)
class ToolEnvironment:
    """An environment whose scripts also call tools of servers."""

    environment: Environment
    access: ToolAccess
    servers: Mapping[str, ToolServer]
    tool_schema: ToolSchema = field(init=False)
    _offered: dict[str, OfferedTool] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        tool_schema = self.environment.tool_schema
        operations = list(tool_schema.operations)
        for name, server in self.servers.items():
            if tool_schema.operation(name) is not None:
                msg = f"--mcp {name}: scripts have a call of this name; name the server otherwise"
                raise UsageError(msg)
            offered = _offered_tools(server)
            _check_names(server, offered, self.access)
            offered = [
                one for one in offered if not self.access.names_one(self.access.deny, one.all_names)
            ]
            self._offered |= {one.operation.name: one for one in offered}
            operations += [one.operation for one in offered]
            operations += _own_operations(server)
        self.tool_schema = replace(tool_schema, operations=tuple(operations))

    @property
    def notices(self) -> list[str]:
        """Remarks for the user: the tools of each server that lack the protocol's form."""
        return [
            f"the MCP server {name} lists tools without the protocol's form (an inputSchema of type object); left out: "
            f"{', '.join(list(dict.fromkeys(server.left_out))[:20])}"
            for name, server in self.servers.items()
            if server.left_out
        ]

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        """Make one declared call. Raises `CallError`."""
        name, dot, called = operation.partition(".")
        if not dot or name not in self.servers:
            return self.environment.call(operation, arguments)
        offered = self._offered.get(operation)
        if offered is not None:
            return self._call_tool(offered, arguments)
        text = str(next(iter(arguments.values()), ""))
        match called:
            case "help":
                return {"text": self._help(name, text)}
            case "resources":
                listed = [
                    {
                        "uri": str(one.uri),
                        "name": line_of(one.name),
                        "description": line_of(one.description or ""),
                    }
                    for one in self.servers[name].resources()
                ]
                return {"data": json.dumps(listed, ensure_ascii=False)}
            case "resource":
                contents = self.servers[name].read(text).contents
                fields = citable_result(
                    operation, "", {}, text="\n".join(map(_text_of, contents)), data=""
                )
                return fields | {
                    "call_path": f"/mcp/{name}/resources/{plain_name(text.partition('://')[2] or text)}"
                }
        raise CallError(error_codes.UNIMPLEMENTED, f"there is no {operation}")

    def answer(self, message: str, outcome: str, refs: Sequence[str]) -> None:
        """Submit the trial's one answer. Raises `CallError`."""
        self.environment.answer(message, outcome, refs)

    def now(self) -> datetime | None:
        """Return the environment's clock."""
        return self.environment.now()

    def _call_tool(self, offered: OfferedTool, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        name = offered.operation.name
        given = {offered.spellings[key]: value for key, value in arguments.items()}
        if offered.operation.effect is Effect.ACTS and not self.access.names_one(
            self.access.allow, offered.names
        ):
            call = f"{name}({', '.join(f'{key}={value!r}' for key, value in given.items())})"
            most = bounds.SHOWN_MESSAGE_CHARS
            cut = (
                f"… ({len(call) - most:,} further characters are not shown)"
                if len(call) > most
                else ""
            )
            if not (
                self.access.approve
                and self.access.approve(f"May the script call {call[:most]}{cut}?")
            ):
                table = f"read_only = [{json.dumps(offered.tool.name)}] in [mcp.{offered.server.name}] of controlplane.toml"
                msg = (
                    f"{name} may change something and was not allowed; the user allows it with --allow {name}, or with "
                    f"{table} if it only reads"
                )
                raise CallError(error_codes.PERMISSION_DENIED, msg)
        result = offered.server.call(offered.tool.name, given)
        text = "\n".join(map(_text_of, result.content))
        if result.is_error:
            raise CallError(
                error_codes.FAILED_PRECONDITION, f"{name}: {line_of(text, 2_000) or 'it failed'}"
            )
        data = ""
        if result.structured_content is not None:
            data = json.dumps(result.structured_content, ensure_ascii=False, separators=(",", ":"))
            text = text if len(text) <= 2_000 else ""
            if fault := schema_fault(result.structured_content, offered.tool.output_schema or {}):
                text = f"(The result breaks the schema of {name}: it{fault}.)\n{text}"
        return citable_result(
            name, f"/mcp/{name.replace('.', '/calls/')}", given, text=text, data=data
        )

    def _help(self, server: str, words: str) -> str:
        """Return the description of a tool of this name, or a line for each tool that fits the words, best first."""
        if offered := self._offered.get(f"{server}.{words.rpartition('.')[2]}"):
            schema = json.dumps(offered.tool.input_schema, ensure_ascii=False)
            text = f"{tool_line(offered.operation)}\n{offered.tool.description or ''}\nparameters: {schema}"
            return sanitize(text)[:6_000]
        wanted, scored = words.casefold().split(), []
        for name, offered in self._offered.items():
            text = f"{name} {offered.tool.description or ''}".casefold()
            score = sum(word in text for word in wanted)
            if score and name.startswith(f"{server}."):
                scored.append((-score, name, tool_line(offered.operation)))
        return (
            "\n".join(line for *_, line in sorted(scored)[:20])
            or "no tool has this name, or holds these words"
        )


@contextmanager
def with_tools(environment: Environment, access: ToolAccess) -> Iterator[ToolEnvironment]:
    """Yield the environment with the tools of the servers, which run for the length of the block. Raises
    `ServerFailed`, `UsageError`."""
    with ExitStack() as held:
        servers = {
            name: held.enter_context(running(name, spec)) for name, spec in access.servers.items()
        }
        yield ToolEnvironment(environment, access, servers)


def _check_names(server: ToolServer, offered: Sequence[OfferedTool], access: ToolAccess) -> None:
    """Raise `UsageError` for a name of `--allow` or `--deny` that is none of the server's tools."""
    left_out = [f"{server.name}.{name}" for name in server.left_out]
    allowed = [name for one in offered for name in one.names] + left_out
    denied = [name for one in offered for name in one.all_names] + left_out
    for option, patterns, names in (
        ("--allow", access.allow, allowed),
        ("--deny", access.deny, denied),
    ):
        for pattern in patterns:
            if pattern.partition(".")[0] == server.name and not access.names_one([pattern], names):
                msg = f"{option} {pattern}: the server {server.name} has no such tool{did_you_mean(pattern, names)}"
                raise UsageError(msg)


def _offered_tools(server: ToolServer) -> list[OfferedTool]:
    taken = {"help", "resource", "resources"}
    is_short = len(server.tools) <= 40
    offered = []
    by_name = sorted(server.tools, key=lambda tool: is_adapted(tool.name))
    identifiers = {tool.name: script_name(tool.name, taken) for tool in by_name}
    for tool in server.tools:
        name = identifiers[tool.name]
        called = f"{server.name}.{name}"
        hints = tool.annotations
        only_reads = bool(hints and hints.read_only_hint and not hints.destructive_hint)
        only_reads |= ToolAccess.names_one(server.spec.read_only, [tool.name])
        parameters, spellings = parameters_of(tool.input_schema, most=30)
        note = "" if only_reads else " (may change something)"
        summary = line_of(tool.description or tool.title or "") + note if is_short else note.strip()
        operation = Operation(
            called,
            parameters,
            FIELDS,
            summary,
            Effect.RETURNS if only_reads else Effect.ACTS,
            subject="",
            json_field="text",
            parsed_field="data",
            has_own_defaults=True,
            is_undeclared=not (
                hints and (hints.read_only_hint is not None or hints.destructive_hint is not None)
            ),
        )
        own, plain = f"{server.name}.{tool.name}", plain_name(tool.name)
        names = (called, own)
        all_names = (own, called, f"{server.name}.{plain}")
        offered.append(OfferedTool(server, tool, operation, spellings, names, all_names))
    return offered


def _own_operations(server: ToolServer) -> list[Operation]:
    """Return the operations of every server: help, and its resources if it has any."""

    about = "a tool's description and parameters, or the tools that words describe"
    own = Operation("help", (Parameter("words", "str"),), FIELDS[1:2], about, Effect.NONE)
    about = "a list of the resources: .uri .name .description"
    listed = Operation("resources", (), FIELDS[2:], about, Effect.NONE, parsed_field="data")
    one = Operation(
        "resource", (Parameter("uri", "str"),), FIELDS, "a resource's text", Effect.RETURNS
    )
    offered = (own, listed, one) if server.has_resources else (own,)
    return [each._replace(name=f"{server.name}.{each.name}", subject="") for each in offered]


def _text_of(part: Any) -> str:
    """Return the text of a block or a resource; of anything else its kind, type and size."""
    held = getattr(part, "resource", part)
    if isinstance(text := getattr(held, "text", None), str):
        return text
    kind = getattr(part, "type", "resource")
    if kind == "resource_link":
        return f"[link to {part.uri}]"
    size = len(getattr(held, "data", None) or getattr(held, "blob", None) or "") * 3 // 4
    return f"[{kind} {line_of(str(getattr(held, 'mime_type', None) or ''), 60)}, {size:,} bytes]"
