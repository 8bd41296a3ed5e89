"""A trial's environment with the tools of MCP servers added.

Scripts call the tools like the environment's own operations, as
`harness.SERVER.TOOL(...)`, and can cite their results. A tool that may change something
is called only if the user allows it, either by `--allow` or when asked on a terminal.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from controlplane.agent.evidence import Environment
from controlplane.agent.evidence.call_checks import call_text
from controlplane.agent.loop import TrialClock, tool_line
from controlplane.errors import UsageError, did_you_mean
from controlplane.mcp.server_specs import line_of
from controlplane.mcp.tool_access import ToolAccess, matches_any
from controlplane.mcp.tool_server import ToolServer, running_server
from controlplane.sandbox.interface import (
    CallError,
    Effect,
    Operation,
    Parameter,
    Plain,
    ResultField,
    bounds,
    error_codes,
    parse_json,
    schema_fault,
)
from controlplane.terminal_text import sanitize
from controlplane.tools.tool_parameters import (
    ToolParameters,
    citable_result,
    plain_name,
    result_path,
    script_names,
)

if TYPE_CHECKING:
    from mcp import types

# The text of a part of an MCP server's result.


def _text_of(part: Any) -> str:
    """Return the text of one part of a tool's result or of a resource.

    For a picture, a sound or another file, return its kind, type and size:
    `[image image/png, 3,120 bytes]`.
    """
    kind = getattr(part, "type", "resource")  # The parts of a resource have no type.
    if kind == "resource_link":
        return f"[link to {part.uri}]"

    content = getattr(part, "resource", part)  # An embedded resource, or the part.
    text = getattr(content, "text", None)
    if isinstance(text, str):
        return text

    # Base64: pictures and sounds have it in `data`, other files in `blob`.
    encoded = getattr(content, "data", None) or getattr(content, "blob", None) or ""
    mime_type = str(getattr(content, "mime_type", None) or "")
    if mime_type.startswith("text/"):
        with suppress(ValueError):  # It is no UTF-8 text in base64.
            return base64.b64decode(encoded, validate=True).decode("utf-8")
    size = len(encoded) * 3 // 4  # base64 encodes three bytes as four characters
    return f"[{kind} {line_of(mime_type, 60)}, {size:,} bytes]"


# What a tool of an MCP server replied: text, and data (JSON) beside it or instead of it.

_MOST_TEXT_BESIDE_DATA: Final = 2_000
"""A longer text of a reply with data is left out if it repeats the data, as it usually does."""


def _all_text(result: types.CallToolResult) -> str:
    """Return the texts of all parts of a result."""
    return "\n".join(_text_of(part) for part in result.content)


# A tool of an MCP server, as scripts call it.

_MOST_ERROR_CHARS: Final = 2_000


@dataclass(frozen=True, slots=True)
class _OfferedTool:
    """A tool of a server, as scripts call it."""

    server: ToolServer
    tool: types.Tool
    """The tool as the server declares it."""
    operation: Operation
    """What scripts call: `files.read_file` for the tool `read-file` of the server `files`."""
    parameters: ToolParameters

    @property
    def names_to_allow(self) -> tuple[str, ...]:
        """The names by which the user may allow the tool: `files.read_file`, `files.read-file`."""
        return (self.operation.name, self.server.operation_name(self.tool.name))

    @property
    def names_to_deny(self) -> tuple[str, ...]:
        """The names by which the user may deny the tool.

        If a server has the tools `read-file` and `read_file`, scripts call the first one
        `files.read_file_2`. Denying `files.read_file` denies both, since the user may
        mean either.
        """
        without_number = self.server.operation_name(plain_name(self.tool.name))
        return (*self.names_to_allow, without_number)

    def call(
        self, script_arguments: Mapping[str, Plain], access: ToolAccess
    ) -> dict[str, Plain]:
        """Call the tool if the user allows it, and return the fields of its result.

        Raises `CallError` if the user does not allow it, the server fails, or the tool reports an error.
        """
        name = self.operation.name
        # Scripts use names of Python: `max_rows` for the tool's own `max-rows`.
        arguments = self.parameters.with_own_names(script_arguments)
        if not self._is_allowed(arguments, access):
            tools = json.dumps([self.tool.name])
            msg = (
                f"{name} may change something and was not allowed; the user allows it with "
                f"--allow {name}, or with read_only = {tools} in [mcp.{self.server.name}] "
                "of controlplane.toml if it only reads"
            )
            raise CallError(error_codes.PERMISSION_DENIED, msg)

        result = self.server.call(self.tool.name, arguments)
        if result.is_error:
            reason = line_of(_all_text(result), _MOST_ERROR_CHARS) or "it failed"
            raise CallError(error_codes.FAILED_PRECONDITION, f"{name}: {reason}")

        text = _all_text(result)
        data = ""
        content: Any = result.structured_content
        if content is not None:
            if len(text) > _MOST_TEXT_BESIDE_DATA:
                with suppress(ValueError):  # The text is no JSON.
                    if parse_json(text) == content:
                        text = ""
            data = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
            # For example: "['rows'][0] is str, not int".
            fault = schema_fault(content, self.tool.output_schema or {})
            if fault:
                text = f"(The result breaks the schema of {name}: it{fault}.)\n{text}"
        # The answer cites the result by a path such as `/mcp/files/calls/read_file/3f9a0c12be`.
        server_name, _, name_in_server = name.partition(".")
        folder = f"/mcp/{server_name}/calls/{name_in_server}"
        path = result_path(folder, arguments, text, data)
        return citable_result(name, path, text=text, data=data)

    def _is_allowed(self, arguments: Mapping[str, Any], access: ToolAccess) -> bool:
        """Return True if the tool only reads, or the user allows the call."""
        if self.operation.effect is not Effect.ACTS:
            return True
        if matches_any(self.server.spec.allowed_tools, [self.tool.name]):
            return True
        if matches_any(access.allow, self.names_to_allow):
            return True
        # Long arguments are shortened.
        call = call_text(self.operation.name, arguments)
        question = f"May the script call {call}?"
        return access.approve is not None and bool(access.approve(question))


# Whether the patterns of `--allow` and `--deny` name tools that a server has.


def _check_patterns(
    server: ToolServer, tools: Sequence[_OfferedTool], access: ToolAccess
) -> None:
    """Raise `UsageError` if the user or the configuration names a tool that the server lacks.

    A wrong name would leave a tool offered that the user has withheld.
    """
    names: list[str] = []
    own_names: list[str] = []
    for tool in tools:
        names += tool.names_to_deny
        own_names.append(tool.tool.name)
    # The user may also name listed tools that cannot be used. They come last, so that an
    # error suggests tools that can be used first.
    names += [server.operation_name(name) for name in server.left_out]
    own_names += server.left_out

    checks = []
    for option, patterns in (("--allow", access.allow), ("--deny", access.deny)):
        for pattern in patterns:
            if pattern.partition(".")[0] == server.name:
                place = f"{option} {pattern}: the server {server.name}"
                checks.append((place, pattern, names))
    for pattern in (*server.spec.withheld_tools, *server.spec.offered_tools):
        if pattern != "*":
            place = f"the configuration of {server.name} names {pattern}: the server"
            checks.append((place, pattern, own_names))
    for place, pattern, known_names in checks:
        if not matches_any([pattern], known_names):
            hint = did_you_mean(pattern, known_names)
            msg = f"{place} has no such tool{hint}"
            raise UsageError(msg)


# The tools of an MCP server, declared for scripts.

_CALL_PATH: Final = ResultField("call_path")
"""The path by which an answer cites the result."""
_TEXT: Final = ResultField("text")
_DATA: Final = ResultField("data")
"""The data (JSON) that a tool returned beside text or instead of it."""

_OWN_OPERATIONS: Final = ("help", "resource", "resources")
"""Operations that a server has in addition to its tools."""
_MOST_DESCRIBED_TOOLS: Final = 40
"""The prompt describes at most this many tools of a server. Of more, it has only the names,
and scripts call `help` for a tool's description."""
_MOST_PARAMETERS: Final = 30


def _offered_tools(
    server: ToolServer, reads: Collection[str] = ()
) -> Iterator[_OfferedTool]:
    """Yield the tools of a server, each with a name that is valid in scripts.

    `reads` are the tools that only read according to the user, by their names in scripts.
    The user's word counts more than the server's.
    """
    names = script_names([tool.name for tool in server.tools], _OWN_OPERATIONS)
    for tool in server.tools:
        name = server.operation_name(names[tool.name])
        # A server may declare that a tool changes nothing, that it does, or neither.
        hints = tool.annotations
        is_undeclared = hints is None or (
            hints.read_only_hint is None and hints.destructive_hint is None
        )
        declares_reading = (
            hints is not None and hints.read_only_hint and not hints.destructive_hint
        )
        is_configured = matches_any(server.spec.read_only, [tool.name])
        only_reads = name in reads or is_configured or declares_reading

        # The prompt describes no tools of a server that has many.
        summary = ""
        if len(server.tools) <= _MOST_DESCRIBED_TOOLS:
            summary = line_of(tool.description or tool.title or "")
        if not only_reads:
            summary = f"{summary} (may change something)".strip()
        parameters = ToolParameters.of_schema(tool.input_schema, _MOST_PARAMETERS)
        operation = Operation(
            name,
            parameters.in_scripts,
            fields=(_CALL_PATH, _TEXT, _DATA),
            summary=summary,
            effect=Effect.RETURNS if only_reads else Effect.ACTS,
            subject="",  # The tool does not act on a path of the trial's files.
            json_field=_TEXT.name,  # Many servers return JSON as text.
            parsed_field=_DATA.name,
            has_own_defaults=True,  # The server fills in what a script leaves out.
            is_undeclared=is_undeclared,
        )
        yield _OfferedTool(server, tool, operation, parameters)


# The operations that a server has besides its tools: `help`, and those of its resources.


def _own_operations(server: ToolServer) -> list[Operation]:
    """Return the declarations of the operations that are not tools.

    They are `help` and, if the server has resources, `resources` and `resource`. Only the text
    of a resource can be cited: `help` and `resources` tell about the server, not about the task.
    """
    # `subject` would name the parameter with a path of the trial's files. None has one.
    help_operation = Operation(
        server.operation_name("help"),
        parameters=(Parameter("words", "str"),),
        fields=(_TEXT,),
        summary="a tool's description and parameters, or the tools that words describe",
        effect=Effect.NONE,
        subject="",
    )
    if not server.has_resources:
        return [help_operation]
    list_resources = Operation(
        server.operation_name("resources"),
        parameters=(),
        fields=(_DATA,),
        summary="a list of the resources: .uri .name .description",
        effect=Effect.NONE,
        subject="",
        parsed_field=_DATA.name,
    )
    read_resource = Operation(
        server.operation_name("resource"),
        parameters=(Parameter("uri", "str"),),
        fields=(_CALL_PATH, _TEXT, _DATA),
        summary="a resource's text",
        effect=Effect.RETURNS,
        subject="",
    )
    return [help_operation, list_resources, read_resource]


_MOST_NAMED_TOOLS: Final = 20
"""The largest number of tools that a notice or `help` names."""
_MOST_HELP_CHARS: Final = 6_000

# The operations of one MCP server: its tools, `help`, and its resources.


class _ServerOperations:
    """What scripts can call of one server, within what the user permits."""

    def __init__(self, server: ToolServer, access: ToolAccess) -> None:
        """Declare the tools.

        Raises `UsageError` if `--allow` or `--deny` name an unknown tool.
        """
        self.server = server
        self.access = access
        self.all_tools = list(_offered_tools(server, access.reads))
        _check_patterns(server, self.all_tools, access)
        self.tools: dict[str, _OfferedTool] = {}
        """The tools that neither the user nor the configuration withholds, by operation."""
        for tool in self.all_tools:
            own_name = [tool.tool.name]
            if (
                matches_any(server.spec.offered_tools, own_name)
                and not matches_any(server.spec.withheld_tools, own_name)
                and not matches_any(access.deny, tool.names_to_deny)
            ):
                self.tools[tool.operation.name] = tool
        self.surplus = list(self.tools)[bounds.MOST_MCP_TOOLS :]
        """The operations that are too many for a trial, and cannot be called."""
        for name in self.surplus:
            del self.tools[name]

    def declared(self, tools: Iterable[_OfferedTool]) -> list[Operation]:
        """Return the operations: those of some tools, and the server's own."""
        return [tool.operation for tool in tools] + _own_operations(self.server)

    def call(self, name: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        """Call the operation `name`, as in `files.read_file`. Raises `CallError`."""
        if name in self.tools:
            return self.tools[name].call(arguments, self.access)
        match name.removeprefix(f"{self.server.name}."):
            case "help":
                return {"text": self._help(str(arguments.get("words", "")))}
            case "resources":
                return {"data": self._resource_list()}
            case "resource":
                return self._resource(str(arguments.get("uri", "")))
            case _:
                raise CallError(error_codes.UNIMPLEMENTED, f"there is no {name}")

    def _help(self, words: str) -> str:
        """Return the description of the tool that `words` name, or the tools that match them."""
        tool = self.tools.get(self.server.operation_name(words.rpartition(".")[2]))
        if tool is None:
            return self._help_on_words(words)
        line = tool_line(tool.operation)
        schema = json.dumps(tool.tool.input_schema, ensure_ascii=False)
        text = f"{line}\n{tool.tool.description or ''}\nparameters: {schema}"
        return sanitize(text)[:_MOST_HELP_CHARS]

    def _help_on_words(self, words: str) -> str:
        """Return a line for each tool that matches any of the words, with the best match first."""
        wanted = words.casefold().split()
        counts = {}
        for name, tool in self.tools.items():
            text = f"{name} {tool.tool.description or ''}".casefold()
            matches = [word for word in wanted if word in text]
            if matches:
                counts[name] = len(matches)
        names = sorted(counts, key=lambda name: (-counts[name], name))
        named = names[:_MOST_NAMED_TOOLS]
        lines = [tool_line(self.tools[name].operation) for name in named]
        return "\n".join(lines) or "no tool has this name, or holds these words"

    def _resource_list(self) -> str:
        """Return the resources of the server as JSON."""
        resources = []
        for resource in self.server.resources():
            shown = {
                "uri": str(resource.uri),
                "name": line_of(resource.name),
                "description": line_of(resource.description or ""),
            }
            resources.append(shown)
        return json.dumps(resources, ensure_ascii=False)

    def _resource(self, uri: str) -> dict[str, Plain]:
        """Return the text of a resource, such as a page of a wiki, with the path to cite it by.

        For `wiki://pages/start.md`, the path is `/mcp/wiki/resources/pages_start_md`.
        """
        contents = self.server.read(uri).contents
        text = "\n".join(_text_of(content) for content in contents)
        name = plain_name(uri.partition("://")[2] or uri)
        path = f"/mcp/{self.server.name}/resources/{name}"
        operation_name = self.server.operation_name("resource")
        return citable_result(operation_name, path, text=text, data="")


def _shortened(names: Sequence[str]) -> str:
    """Return the first names of tools, and the number of the others."""
    text = ", ".join(names[:_MOST_NAMED_TOOLS])
    if len(names) > _MOST_NAMED_TOOLS:
        text += f" and {len(names) - _MOST_NAMED_TOOLS:,} more"
    return text


class ToolEnvironment:
    """An environment with the tools of MCP servers added.

    It is created when a trial starts. A call of `files.read_file` goes to the server `files`,
    and a call without a server's name, such as `read_order`, to the trial's own environment.
    """

    def __init__(
        self, environment: Environment, servers: Mapping[str, _ServerOperations]
    ) -> None:
        """Add the operations of the servers, which are given by name."""
        self.environment = environment
        self.servers = servers
        operations = list(environment.tool_schema.operations)
        for server in servers.values():
            operations += server.declared(server.tools.values())
        self.tool_schema = replace(
            environment.tool_schema, operations=tuple(operations)
        )

    @property
    def notices(self) -> list[str]:
        """Remarks for the user: on servers with another name in scripts, and on tools left out."""
        renamed = []
        left_out = []
        for name, operations in self.servers.items():
            user_name = operations.access.user_names.get(name)
            if user_name is not None:
                renamed.append(
                    f"the MCP server {line_of(user_name)} is {name} in scripts"
                )
            tools = list(dict.fromkeys(operations.server.left_out))
            if tools:
                left_out.append(
                    f"the MCP server {name} lists tools without the protocol's form (an inputSchema "
                    f"of type object); left out: {_shortened(tools)}"
                )
            if operations.surplus:
                left_out.append(
                    f"the MCP server {name} has more than {bounds.MOST_MCP_TOOLS:,} tools: name those to "
                    f"use as `tools` in its configuration; left out: {_shortened(operations.surplus)}"
                )
        return renamed + left_out

    def now(self) -> datetime | None:
        """Return the time of the environment's clock."""
        return self.environment.now()

    def answer(self, message: str, outcome: str, refs: Sequence[str]) -> None:
        """Submit the trial's only answer. Raises `CallError`."""
        self.environment.answer(message, outcome, refs)

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        """Make one call of an operation in `tool_schema`. Raises `CallError`."""
        name, point, _ = operation.partition(".")  # `files.read_file`
        if point and name in self.servers:
            return self.servers[name].call(operation, arguments)
        return self.environment.call(operation, arguments)


# Starts the MCP servers that a user names, and offers their tools to the scripts of a trial.
#
# Each trial has servers of its own, since a server may remember what a trial has done. They run while
# the block of `with_tools` does.


@contextmanager
def with_tools(
    environment: Environment, access: ToolAccess, clock: TrialClock | None = None
) -> Iterator[ToolEnvironment]:
    """Yield the environment with the tools of the servers, which run until the block ends.

    `clock` counts the time of the trial: a call of a tool waits no longer than the time
    that is left.

    Raises `ServerFailed`, and `UsageError` if a server's name is taken, or `--allow` or
    `--deny` name an unknown tool.
    """
    with ExitStack() as resources:
        servers = {}
        for name, spec in access.servers.items():
            if environment.tool_schema.operation(name) is not None:
                msg = f"--mcp {name}: scripts have a call of this name; name the server otherwise"
                raise UsageError(msg)
            server = resources.enter_context(running_server(name, spec))
            server.clock = clock
            servers[name] = _ServerOperations(server, access)
        yield ToolEnvironment(environment, servers)


def declared_operations(access: ToolAccess) -> list[Operation]:
    """Return the operations of the servers, including denied tools.

    Each server is started for this and then ended. Raises `ServerFailed`, and
    `UsageError` if a name in `--allow` or `--deny` matches no tool.
    """
    declared = []
    for name, spec in access.servers.items():
        with running_server(name, spec) as server:
            operations = _ServerOperations(server, access)
            declared += operations.declared(operations.all_tools)
    return declared
