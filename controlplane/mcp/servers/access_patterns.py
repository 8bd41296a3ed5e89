"""Whether the patterns of `--allow` and `--deny` name tools that a server has."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from controlplane.errors import UsageError, did_you_mean
from controlplane.mcp.servers.offered_tool import OfferedTool
from controlplane.mcp.servers.tool_server import ToolServer
from controlplane.mcp.tool_access import ToolAccess, matches_any


def check_patterns(
    server: ToolServer, tools: Iterable[OfferedTool], access: ToolAccess
) -> None:
    """Raise `UsageError` if `--allow` or `--deny` name a tool that the server does not have."""
    to_allow: list[str] = []
    to_deny: list[str] = []
    for tool in tools:
        to_allow += tool.names.to_allow
        to_deny += tool.names.to_deny
    # The user may also name listed tools that cannot be used. They come last, so that an
    # error suggests tools that can be used first.
    left_out = [server.operation_name(name) for name in server.left_out]
    _check_option("--allow", access.allow, server, to_allow + left_out)
    _check_option("--deny", access.deny, server, to_deny + left_out)


def _check_option(
    option: str, patterns: Iterable[str], server: ToolServer, names: Sequence[str]
) -> None:
    for pattern in patterns:
        is_of_server = pattern.partition(".")[0] == server.name
        if is_of_server and not matches_any([pattern], names):
            hint = did_you_mean(pattern, names)
            msg = f"{option} {pattern}: the server {server.name} has no such tool{hint}"
            raise UsageError(msg)
