"""A trial's environment with the tools of MCP servers added.

Scripts call the tools like the environment's own operations, as
`harness.SERVER.TOOL(...)`, and can cite their results. A tool that may change something
is called only if the user allows it, either by `--allow` or when asked on a terminal.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from controlplane.agent.evidence import Environment
from controlplane.agent.evidence.call_messages import call_text
from controlplane.agent.loop import TrialClock, tool_line
from controlplane.errors import UsageError, did_you_mean
from controlplane.function_tool import arguments_in_scripts, citable_result
from controlplane.mcp.server_specs import ToolAccess
from controlplane.mcp.tool_server import ToolServer, line_of, running
from controlplane.sandbox.interface import (
    CallError,
    Effect,
    Operation,
    Parameter,
    Plain,
    ResultField,
    error_codes,
    schema_fault,
)
from controlplane.script_names import is_adapted, plain_name, script_name
from controlplane.terminal_text import sanitize

if TYPE_CHECKING:
    from mcp import types

# The fields of a tool's result in scripts.
CALL_PATH: Final = ResultField("call_path")
"""The path by which an answer cites the result."""
TEXT: Final = ResultField("text")
DATA: Final = ResultField("data")
"""The data (JSON) that a tool returned beside text or instead of it."""

# --- The tools of a server, as scripts call them ---


MOST_DESCRIBED_TOOLS: Final = 40
"""If a server has more tools than this, the prompt contains only their names, and
scripts call `help` for the description of a tool."""
MOST_PARAMETERS: Final = 30
"""The largest number of parameters of a tool in scripts. Further parameters are left
out."""
OWN_OPERATIONS: Final = ("help", "resource", "resources")
"""Operations that a server has in addition to its tools."""


@dataclass(frozen=True, slots=True)
class OfferedTool:
    """A tool of a server, as scripts call it."""

    server: ToolServer
    tool: types.Tool
    """The tool as the server declares it."""
    operation: Operation
    """The operation that scripts call. Its name is the server's name, a dot, and the
    tool's name in scripts: `files.read_file` for the tool `read-file` of the server
    `files`."""
    own_parameter_names: Mapping[str, str]
    """The server's name of each parameter, by its name in scripts: `from_` ->
    `from`."""
    names_to_allow: tuple[str, ...]
    """The names by which the user may allow the tool: `files.read_file` and
    `files.read-file`."""
    names_to_deny: tuple[str, ...]
    """The names by which the user may deny the tool: those above, and the name without
    a number.

    For example, scripts call the tool `read-file` `files.read_file_2` if there is also
    a tool `read_file`. Denying `files.read_file` denies both, since the user may mean
    either. Allowing it allows only the first.
    """


def offered_tools(server: ToolServer, reads: Collection[str] = ()) -> list[OfferedTool]:
    """Return the tools of a server, each with a name that is valid in scripts.

    `reads` lists tools that, as the user says, only read. That counts more than the
    server's word.
    """
    names_in_scripts = _script_names(server.tools)
    is_described = len(server.tools) <= MOST_DESCRIBED_TOOLS
    offered = []
    for tool in server.tools:
        name = f"{server.name}.{names_in_scripts[tool.name]}"
        name_of_server = f"{server.name}.{tool.name}"
        name_without_number = f"{server.name}.{plain_name(tool.name)}"
        arguments = arguments_in_scripts(tool.input_schema, MOST_PARAMETERS)
        only_reads = _only_reads(tool, server.spec.read_only) or name in reads
        operation = Operation(
            name,
            arguments.parameters,
            fields=(CALL_PATH, TEXT, DATA),
            summary=_summary_of(tool, only_reads=only_reads, is_described=is_described),
            effect=Effect.RETURNS if only_reads else Effect.ACTS,
            subject="",  # The tool does not act on a path of the trial's files.
            json_field=TEXT.name,  # Many servers return JSON as text: scripts call `.json()`.
            parsed_field=DATA.name,  # Scripts get the data as parsed JSON.
            has_own_defaults=True,  # The server fills in the arguments that a script leaves out.
            is_undeclared=not _declares_effect(tool),
        )
        offered.append(
            OfferedTool(
                server,
                tool,
                operation,
                own_parameter_names=arguments.own_names,
                names_to_allow=(name, name_of_server),
                names_to_deny=(name_of_server, name, name_without_number),
            )
        )
    return offered


def _script_names(tools: Iterable[types.Tool]) -> dict[str, str]:
    """Return each tool's name in scripts. Valid names are given first, so they stay
    unchanged."""
    taken = set(OWN_OPERATIONS)
    names = {}
    for tool in sorted(tools, key=lambda tool: is_adapted(tool.name)):
        names[tool.name] = script_name(tool.name, taken)
    return names


def _only_reads(tool: types.Tool, read_only: Iterable[str]) -> bool:
    """Return True if the server or the user declares that a tool changes nothing."""
    if ToolAccess.matches_any(read_only, [tool.name]):
        return True
    hints = tool.annotations
    return (
        hints is not None and bool(hints.read_only_hint) and not hints.destructive_hint
    )


def _declares_effect(tool: types.Tool) -> bool:
    """Return True if the server says whether a tool changes something."""
    hints = tool.annotations
    if hints is None:
        return False
    return hints.read_only_hint is not None or hints.destructive_hint is not None


def _summary_of(tool: types.Tool, *, only_reads: bool, is_described: bool) -> str:
    """Return a tool's line for the prompt. In a long list of tools, the line only says
    whether the tool changes something."""
    summary = ""
    if is_described:
        summary = line_of(tool.description or tool.title or "")
    if not only_reads:
        summary = f"{summary} (may change something)".strip()
    return summary


def own_operations(server: ToolServer) -> list[Operation]:
    """Return the operations that a server has in addition to its tools.

    They are `help` and, if the server has resources, `resources` and `resource`. Only
    the text of a resource can be cited. None acts on a path of the trial's files, which
    `subject` would name.
    """
    help_operation = Operation(
        server.operation_name("help"),
        parameters=(Parameter("words", "str"),),
        fields=(TEXT,),
        summary="a tool's description and parameters, or the tools that words describe",
        effect=Effect.NONE,
        subject="",
    )
    if not server.has_resources:
        return [help_operation]
    list_resources = Operation(
        server.operation_name("resources"),
        parameters=(),
        fields=(DATA,),
        summary="a list of the resources: .uri .name .description",
        effect=Effect.NONE,
        subject="",
        parsed_field=DATA.name,
    )
    read_resource = Operation(
        server.operation_name("resource"),
        parameters=(Parameter("uri", "str"),),
        fields=(CALL_PATH, TEXT, DATA),
        summary="a resource's text",
        effect=Effect.RETURNS,
        subject="",
    )
    return [help_operation, list_resources, read_resource]


# --- The environment ---


MOST_NAMED_TOOLS: Final = 20
"""The largest number of tools that a notice or `help` names."""
MOST_HELP_CHARS: Final = 6_000
MOST_TEXT_BESIDE_DATA: Final = 2_000
"""A result with data may also have a text, which usually repeats the data. A longer
text is left out."""
MOST_ERROR_CHARS: Final = 2_000


class ToolEnvironment:
    """An environment with the tools of MCP servers added.

    It is created when a trial starts. It makes the calls of tools itself, and passes
    all other calls to the trial's own environment.
    """

    def __init__(
        self,
        environment: Environment,
        access: ToolAccess,
        servers: Mapping[str, ToolServer],
    ) -> None:
        """Declare the tools, except those that the user denies.

        Raises `UsageError` if a server's name is taken, or `--allow` or `--deny` name
        an unknown tool.
        """
        self.environment = environment
        self.access = access
        self.servers = servers
        self._offered: dict[str, OfferedTool] = {}
        """The tools that the user has not denied, by the names of their operations."""
        tool_schema = environment.tool_schema
        operations = list(tool_schema.operations)
        for name, server in servers.items():
            if tool_schema.operation(name) is not None:
                msg = f"--mcp {name}: scripts have a call of this name; name the server otherwise"
                raise UsageError(msg)
            tools = offered_tools(server, access.reads)
            _check_names(server, tools, access)
            for tool in tools:
                is_denied = access.matches_any(access.deny, tool.names_to_deny)
                if not is_denied:
                    self._offered[tool.operation.name] = tool
                    operations.append(tool.operation)
            operations += own_operations(server)
        self.tool_schema = replace(tool_schema, operations=tuple(operations))

    @property
    def notices(self) -> list[str]:
        """Remarks for the user about servers with another name in scripts, and tools
        that are left out."""
        notices = []
        for name, user_name in self.access.user_names.items():
            notices.append(f"the MCP server {line_of(user_name)} is {name} in scripts")
        for name, server in self.servers.items():
            if server.left_out:
                names = list(dict.fromkeys(server.left_out))[:MOST_NAMED_TOOLS]
                notices.append(
                    f"the MCP server {name} lists tools without the protocol's form "
                    f"(an inputSchema of type object); left out: {', '.join(names)}"
                )
        return notices

    def now(self) -> datetime | None:
        """Return the time of the environment's clock."""
        return self.environment.now()

    def answer(self, message: str, outcome: str, refs: Sequence[str]) -> None:
        """Submit the trial's only answer. Raises `CallError`."""
        self.environment.answer(message, outcome, refs)

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        """Make one call of an operation in `tool_schema`. Raises `CallError`."""
        server_name, point, called = operation.partition(".")  # `files.read_file`
        is_of_server = bool(point) and server_name in self.servers
        if not is_of_server:
            return self.environment.call(operation, arguments)
        if operation in self._offered:
            return self._call_tool(self._offered[operation], arguments)

        server = self.servers[server_name]
        match called:
            case "help":
                return {
                    "text": self._help(server_name, str(arguments.get("words", "")))
                }
            case "resources":
                return {"data": _resource_list(server)}
            case "resource":
                return _resource(server, str(arguments.get("uri", "")))
            case _:
                raise CallError(error_codes.UNIMPLEMENTED, f"there is no {operation}")

    def _call_tool(
        self, offered: OfferedTool, arguments: Mapping[str, Plain]
    ) -> dict[str, Plain]:
        """Call a tool of a server if the user allows it, and return the fields of its
        result.

        Raises `CallError`.
        """
        name = offered.operation.name
        own_arguments = {}
        for parameter, value in arguments.items():
            own_arguments[offered.own_parameter_names[parameter]] = value
        self._check_permission(offered, own_arguments)

        result = offered.server.call(offered.tool.name, own_arguments)
        text = "\n".join(_text_of(part) for part in result.content)
        if result.is_error:
            reason = line_of(text, MOST_ERROR_CHARS) or "it failed"
            raise CallError(error_codes.FAILED_PRECONDITION, f"{name}: {reason}")

        structured = result.structured_content
        data = ""
        if structured is not None:
            data = json.dumps(structured, ensure_ascii=False, separators=(",", ":"))
            if len(text) > MOST_TEXT_BESIDE_DATA:
                text = ""
            fault = schema_fault(structured, offered.tool.output_schema or {})
            if fault:
                # For example: "it['rows'][0] is str, not int". "It" is the result.
                text = f"(The result breaks the schema of {name}: it{fault}.)\n{text}"
        folder = f"/mcp/{offered.server.name}/calls/{name.partition('.')[2]}"
        return citable_result(name, folder, own_arguments, text=text, data=data)

    def _check_permission(
        self, offered: OfferedTool, arguments: Mapping[str, Plain]
    ) -> None:
        """Raise `CallError` if a tool may change something and the user does not allow
        the call."""
        name = offered.operation.name
        only_reads = offered.operation.effect is not Effect.ACTS
        if only_reads or self.access.matches_any(
            self.access.allow, offered.names_to_allow
        ):
            return
        if self.access.approve is not None:
            # `held` names arguments to show in full. Here none is, so long arguments
            # are cut.
            call = call_text(name, arguments, held={})
            if self.access.approve(f"May the script call {call}?"):
                return
        tools = f"[{json.dumps(offered.tool.name)}]"
        msg = (
            f"{name} may change something and was not allowed; the user allows it with "
            f"--allow {name}, or with read_only = {tools} in [mcp.{offered.server.name}] of "
            "controlplane.toml if it only reads"
        )
        raise CallError(error_codes.PERMISSION_DENIED, msg)

    def _help(self, server_name: str, words: str) -> str:
        """Return the description of the tool of this name, or the tools that match the
        words."""
        offered = self._offered.get(f"{server_name}.{words.rpartition('.')[2]}")
        if offered is not None:
            schema = json.dumps(offered.tool.input_schema, ensure_ascii=False)
            line = tool_line(offered.operation)
            text = f"{line}\n{offered.tool.description or ''}\nparameters: {schema}"
            return sanitize(text)[:MOST_HELP_CHARS]

        lines = []
        for name in self._tools_by_fit(server_name, words)[:MOST_NAMED_TOOLS]:
            lines.append(tool_line(self._offered[name].operation))
        return "\n".join(lines) or "no tool has this name, or holds these words"

    def _tools_by_fit(self, server_name: str, words: str) -> list[str]:
        """Return the tools of a server that match any of the words, with the best match
        first."""
        wanted = words.casefold().split()
        word_counts = {}
        for name, offered in self._offered.items():
            if not name.startswith(f"{server_name}."):
                continue
            text = f"{name} {offered.tool.description or ''}".casefold()
            found_words = [word for word in wanted if word in text]
            if found_words:
                word_counts[name] = len(found_words)
        return sorted(word_counts, key=lambda name: (-word_counts[name], name))


@contextmanager
def with_tools(
    environment: Environment, access: ToolAccess, clock: TrialClock | None = None
) -> Iterator[ToolEnvironment]:
    """Yield the environment with the tools of the servers. The servers run until the
    block ends.

    `clock` counts the time of the trial: a call of a tool waits no longer than the time
    that is left.

    Raises `ServerFailed` and `UsageError`.
    """
    with ExitStack() as resources:
        servers = {}
        for name, spec in access.servers.items():
            server = resources.enter_context(running(name, spec))
            if clock is not None:
                server.clock = clock
            servers[name] = server
        yield ToolEnvironment(environment, access, servers)


def declared_operations(access: ToolAccess) -> list[Operation]:
    """Return the operations of the servers. Each server is started for this and then
    ended.

    Raises `ServerFailed`, and `UsageError` if a name in `--allow` or `--deny` matches
    no tool.
    """
    operations = []
    for name, spec in access.servers.items():
        with running(name, spec) as server:
            offered = offered_tools(server, access.reads)
            _check_names(server, offered, access)
            operations += [tool.operation for tool in offered]
            operations += own_operations(server)
    return operations


def _check_names(
    server: ToolServer, offered: Sequence[OfferedTool], access: ToolAccess
) -> None:
    """Raise `UsageError` if a name in `--allow` or `--deny` matches no tool of the
    server."""
    names_to_allow: list[str] = []
    names_to_deny: list[str] = []
    for tool in offered:
        names_to_allow += tool.names_to_allow
        names_to_deny += tool.names_to_deny
    # The user may also name listed tools that cannot be used.
    left_out = [server.operation_name(name) for name in server.left_out]
    _check_patterns("--allow", access.allow, server, names_to_allow + left_out)
    _check_patterns("--deny", access.deny, server, names_to_deny + left_out)


def _check_patterns(
    option: str, patterns: Iterable[str], server: ToolServer, names: Sequence[str]
) -> None:
    """Raise `UsageError` if a pattern of an option names this server but matches no
    tool of it."""
    for pattern in patterns:
        is_of_server = pattern.partition(".")[0] == server.name
        if is_of_server and not ToolAccess.matches_any([pattern], names):
            hint = did_you_mean(pattern, names)
            msg = f"{option} {pattern}: the server {server.name} has no such tool{hint}"
            raise UsageError(msg)


# --- Resources and parts of results ---


def _resource_list(server: ToolServer) -> str:
    """Return the resources of a server as JSON."""
    resources = []
    for resource in server.resources():
        shown = {
            "uri": str(resource.uri),
            "name": line_of(resource.name),
            "description": line_of(resource.description or ""),
        }
        resources.append(shown)
    return json.dumps(resources, ensure_ascii=False)


def _resource(server: ToolServer, uri: str) -> dict[str, Plain]:
    """Return the text of a resource, with the path to cite it by.

    The path is made from the resource's URI: `/mcp/wiki/resources/pages_start_md` for
    `wiki://pages/start.md`.
    """
    contents = server.read(uri).contents
    text = "\n".join(_text_of(content) for content in contents)
    operation = server.operation_name("resource")
    result = citable_result(operation, folder="", arguments={}, text=text, data="")

    # `citable_result` makes a path for the result of a tool. A resource has its own
    # path.
    path = uri.partition("://")[2] or uri
    return {
        **result,
        CALL_PATH.name: f"/mcp/{server.name}/resources/{plain_name(path)}",
    }


def _text_of(part: Any) -> str:
    """Return the text of one part of a tool's result or of a resource.

    For a picture, a sound or another file, return its kind, type and size:
    `[image image/png, 3,120 bytes]`.
    """
    kind = getattr(part, "type", "resource")  # The parts of a resource have no type.
    if kind == "resource_link":
        return f"[link to {part.uri}]"

    # A part with a resource has it in the field `resource`. Other parts have the
    # content themselves.
    content = getattr(part, "resource", part)
    text = getattr(content, "text", None)
    if isinstance(text, str):
        return text

    # Base64: pictures and sounds have it in `data`, other files in `blob`.
    encoded = getattr(content, "data", None) or getattr(content, "blob", None) or ""
    mime_type = str(getattr(content, "mime_type", None) or "")
    if mime_type.startswith("text/"):
        try:
            return base64.b64decode(encoded, validate=True).decode("utf-8")
        except ValueError:
            pass  # The text is not base64, whatever the type says.
    size = len(encoded) * 3 // 4  # base64 encodes three bytes as four characters
    return f"[{kind} {line_of(mime_type, 60)}, {size:,} bytes]"
