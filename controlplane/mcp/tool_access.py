"""The MCP servers of a run, and the tools of them that scripts may call.

They are never written to the journal, since they may hold secrets.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from controlplane.mcp.named_servers import named_spec, server_spec
from controlplane.mcp.server_names import patterns_in_scripts, script_names_of
from controlplane.mcp.server_specs import ServerSpec
from controlplane.mcp.servers_file import specs_in_file


@dataclass(frozen=True, slots=True)
class ToolAccess:
    """The servers of a run, and the tools of them that scripts may call.

    A tool that only reads may always be called. A tool that may change something needs
    the user's permission: beforehand by `allow`, or by `approve` when it is called. A
    denied tool is not offered at all.
    """

    servers: Mapping[str, ServerSpec]
    """The servers, by their names in scripts."""
    allow: tuple[str, ...] = ()
    """Tools that may be called although they may change something: `NAME.tool` or `NAME.*`."""
    deny: tuple[str, ...] = ()
    """Tools that are never called, in the same form."""
    approve: Callable[[str], bool] | None = field(default=None, compare=False)
    """Asks the user about one call; None if the user cannot be asked."""
    user_names: Mapping[str, str] = field(default_factory=dict)
    """The user's names of servers with another name in scripts: `{"a_b": "a-b"}`.

    A name in scripts has to be a name of Python, which `a-b` is not.
    """
    reads: tuple[str, ...] = ()
    """Tools that only read according to the option `--reads`; empty until a trial begins.

    `ServerSpec.read_only` says the same in a configuration file.
    """

    def denies(self, names: Sequence[str]) -> bool:
        """Return True if the user denies the tool with these names."""
        return matches_any(self.deny, names)

    def allows_change(self, names: Sequence[str], question: str) -> bool:
        """Return True if the user allows a call that may change something.

        `names` are those of the tool. The user is asked `question`, unless `allow` has the tool.
        """
        if matches_any(self.allow, names):
            return True
        return self.approve is not None and self.approve(question)


def matches_any(patterns: Iterable[str], names: Sequence[str]) -> bool:
    """Return True if any pattern, such as `files.*`, matches any of the names of a tool.

    A tool has several names: the server's own name, and the one in scripts.
    """
    return any(fnmatchcase(name, pattern) for pattern in patterns for name in names)


def tool_access(
    options: dict[str, Any],
    configured: Mapping[str, object] | None = None,
    approve: Callable[[str], bool] | None = None,
) -> ToolAccess | None:
    """Return the servers that the user named, with the tools that may be called; None without servers.

    - `options`: the values of the command line's options: `mcp`, `mcp_config`, `allow` and `deny`.
    - `configured`: the servers of controlplane.toml, by name.
    - `approve`: asks the user about one call. None: the user cannot be asked.

    If several places name the same server, `--mcp` counts first, then the file of
    `--mcp-config`, then controlplane.toml. Raises `UsageError`.
    """
    specs: dict[str, ServerSpec] = {}
    for name, fields in (configured or {}).items():
        specs[name] = server_spec(name, fields, "controlplane.toml")
    if options["mcp_config"]:
        specs |= specs_in_file(Path(options["mcp_config"]).expanduser())
    for text in options["mcp"]:
        name, spec = named_spec(text)
        specs[name] = spec

    script_names = script_names_of(specs)
    # Check these patterns even if there is no server, so that a wrong one is refused.
    allow = patterns_in_scripts(options["allow"], script_names)
    deny = patterns_in_scripts(options["deny"], script_names)
    if not specs:
        return None

    # Scripts call a server by a name of Python: `a-b` is `a_b` there.
    servers = {}
    user_names = {}
    for user_name, spec in specs.items():
        name_in_scripts = script_names[user_name]
        servers[name_in_scripts] = spec
        if name_in_scripts != user_name:
            user_names[name_in_scripts] = user_name
    return ToolAccess(
        servers, allow=allow, deny=deny, approve=approve, user_names=user_names
    )
