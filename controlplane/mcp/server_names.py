"""The names of MCP servers: the user's (`brave-search`), and those in scripts (`brave_search`)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from controlplane.errors import UsageError, did_you_mean
from controlplane.tools.script_names import script_name

RESERVED: Final = ("answer", "tools", "mcp")
"""Names of `harness` that a server cannot have."""


def script_names_of(user_names: Iterable[str]) -> dict[str, str]:
    """Return each server's name in scripts by the user's name: `brave-search` -> `brave_search`.

    A name that is valid in scripts is unchanged, so valid names come first. For `a-b`
    and `a_b`, the names in scripts are `a_b_2` and `a_b`.
    """
    names = list(user_names)
    valid_names = [name for name in names if name.isidentifier()]
    other_names = [name for name in names if not name.isidentifier()]
    taken: set[str] = set()
    script_names = {}
    for name in (*valid_names, *other_names):
        script_names[name] = script_name(name, taken, RESERVED)
        taken.add(script_names[name])
    return script_names


def patterns_in_scripts(
    patterns: Iterable[str], script_names: Mapping[str, str]
) -> tuple[str, ...]:
    """Return patterns of tools with the servers' names in scripts: `a-b.read*` -> `a_b.read*`.

    `script_names` has each server's name in scripts by the user's name. Raises
    `UsageError` for a pattern that begins with no server's name.
    """
    in_scripts = []
    for pattern in patterns:
        server = _server_of_pattern(pattern, script_names)
        if server is None:
            hint = did_you_mean(pattern.partition(".")[0], script_names)
            msg = (
                "--allow and --deny name tools as NAME.TOOL of a server of --mcp, "
                f"not {pattern!r}{hint}"
            )
            raise UsageError(msg)
        # A pattern may already have the name in scripts, `a_b.read*`. It stays as it is.
        name = script_names.get(server, server)
        in_scripts.append(name + pattern.removeprefix(server))
    return tuple(in_scripts)


def _server_of_pattern(pattern: str, script_names: Mapping[str, str]) -> str | None:
    """Return the name of a server with which a pattern begins; None if there is none.

    It may be the user's name or the one in scripts. It may contain a dot: `a.b.read*` fits the
    servers `a` and `a.b`, and the longer name counts.
    """
    user_names = script_names.keys()
    fitting_names = []
    for name in (*user_names, *script_names.values()):
        if pattern == name or pattern.startswith(f"{name}."):
            fitting_names.append(name)
    return max(fitting_names, key=len, default=None)
