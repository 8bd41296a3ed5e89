"""The MCP servers of a run, and the tools of them that scripts may call.

They are never written to the journal, since they may hold secrets.
"""

from __future__ import annotations

import json
import os
import shlex
from codecs import BOM_UTF8
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Final

import re2
from pydantic import ValidationError

from controlplane.agent.evidence import ApproveCall
from controlplane.errors import UsageError, as_usage_error, did_you_mean
from controlplane.mcp.server_specs import ServerSpec
from controlplane.sandbox.interface import bounds, parse_json
from controlplane.tools.tool_parameters import script_name

# The MCP servers that a user names by the option `--mcp`, and the checks of any named server.
#
# `--mcp "db=uvx mcp-server-sqlite"` names a program, and `--mcp web=https://example.org/mcp` an address.


def _named_spec(text: str) -> tuple[str, ServerSpec]:
    """Return the name and the server from a value of `--mcp`, such as `db=uvx mcp-server-sqlite`.

    A server at an address gets the token of the variable `MCP_NAME_TOKEN`. Raises `UsageError`.
    """
    name, equals, target = text.partition("=")
    if not equals or not target.strip():
        example = '--mcp "db=uvx mcp-server-sqlite"'
        msg = (
            f"--mcp takes NAME=COMMAND or NAME=https://..., as {example}, not {text!r}"
        )
        raise UsageError(msg)
    if target.startswith(("http://", "https://")):
        headers = {}
        token = os.environ.get(f"MCP_{name.upper()}_TOKEN")
        if token:
            headers["Authorization"] = f"Bearer {token}"
        return name, _server_spec(name, {"url": target, "headers": headers}, "--mcp")
    with as_usage_error(f"--mcp {name}: the command cannot be read", ValueError):
        command, *args = shlex.split(target)
    return name, _server_spec(name, {"command": command, "args": args}, "--mcp")


_LONGEST_NAME: Final = 60


def _server_spec(name: str, fields: object, source: str) -> ServerSpec:
    """Return a server from its fields: `{"command": "uvx", "args": ["mcp-server-sqlite"]}`.

    Raises `UsageError`, whose message begins with the `source` of the fields, such as `--mcp`.
    """
    if (
        not any(sign.isascii() and sign.isalnum() for sign in name)
        or len(name) > _LONGEST_NAME
    ):
        rule = f"a server's name has letters or digits, and at most {_LONGEST_NAME} characters"
        msg = f"{source}: {rule}: {name!r}"
        raise UsageError(msg)
    try:
        spec = ServerSpec.model_validate(fields)
    except ValidationError as error:
        fault = error.errors()[0]
        place = ".".join(str(part) for part in fault["loc"])
        msg = f"{source}: {name}: {place}: {fault['msg']}"
        raise UsageError(msg) from error
    if bool(spec.command) == bool(spec.url):
        msg = f"{source}: {name}: a server has either a command or a url"
        raise UsageError(msg)
    return spec


# The names of MCP servers: the user's (`brave-search`), and those in scripts (`brave_search`).

_RESERVED: Final = ("answer", "tools", "mcp")
"""Names of `harness` that a server cannot have."""


def _script_names_of(user_names: Iterable[str]) -> dict[str, str]:
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
        script_names[name] = script_name(name, taken, _RESERVED)
        taken.add(script_names[name])
    return script_names


def _patterns_in_scripts(
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


# The MCP servers in a `mcpServers` file, which `--mcp-config` names. Other programs use the same form.
#
# `{"mcpServers": {"db": {"command": "uvx", "args": ["mcp-server-sqlite", "${DB:-app.db}"]}}}`

_VARIABLE: Final = re2.compile(rb"\$\{(\w+)(?::-([^}]*))?\}")
"""A variable of the environment in a file: `${NAME}`, or with a default, `${NAME:-text}`."""


def _specs_in_file(path: Path) -> dict[str, ServerSpec]:
    """Return the servers of a file by name. Variables in it are replaced from the environment.

    Raises `UsageError` if the file cannot be read, or a variable or a server's field is wrong.
    """
    with (
        as_usage_error(f"--mcp-config {path}: it cannot be read", OSError),
        path.open("rb") as file,
    ):
        content = file.read(bounds.MOST_TEXT_BYTES + 1)

    form_fault = f'--mcp-config {path}: it holds no {{"mcpServers": {{NAME: ...}}}}'
    with as_usage_error(form_fault, ValueError, KeyError, TypeError, AttributeError):
        filled = _VARIABLE.sub(lambda variable: _value_of(variable, path), content)
        fields_of_file = parse_json(
            filled.removeprefix(BOM_UTF8), most_bytes=bounds.MOST_TEXT_BYTES
        )
        servers = fields_of_file["mcpServers"]
        return {
            name: _server_spec(name, fields, str(path))
            for name, fields in servers.items()
            if not _is_switched_off(name, fields, str(path))
        }


def _is_switched_off(name: str, fields: object, source: str) -> bool:
    """Return True if a file switches a server off: `"disabled": true` or `"enabled": false`.

    Raises `UsageError` if such a field is neither true nor false.
    """
    for key, value_when_off in (("disabled", True), ("enabled", False)):
        if not isinstance(fields, dict) or key not in fields:
            continue
        value = fields[key]
        if not isinstance(value, bool):
            msg = f"{source}: {name}: {key} is true or false, not {value!r}"
            raise UsageError(msg)
        if value is value_when_off:
            return True
    return False


def _value_of(variable: re2._Match[bytes], path: Path) -> bytes:
    """Return the value of a match of `_VARIABLE`, as it is written inside a JSON string.

    A quotation mark in the value gets a backslash. Raises `UsageError`, which names the file at
    `path`, if the variable has neither a value nor a default.
    """
    name = variable[1].decode()
    default: bytes | None = variable[2]
    value = os.environ.get(name)
    if value is not None:
        json_string = json.dumps(value)
        return json_string[1:-1].encode()  # The file has the quotation marks.
    if default is None:
        msg = f"--mcp-config {path}: the environment has no {name}"
        raise UsageError(msg)
    return default


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
    approve: ApproveCall | None = field(default=None, compare=False)
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
    approve: ApproveCall | None = None,
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
        if not _is_switched_off(name, fields, "controlplane.toml"):
            specs[name] = _server_spec(name, fields, "controlplane.toml")
    if options["mcp_config"]:
        specs |= _specs_in_file(Path(options["mcp_config"]).expanduser())
    for text in options["mcp"]:
        name, spec = _named_spec(text)
        specs[name] = spec

    script_names = _script_names_of(specs)
    # Check these patterns even if there is no server, so that a wrong one is refused.
    allow = _patterns_in_scripts(options["allow"], script_names)
    deny = _patterns_in_scripts(options["deny"], script_names)
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
