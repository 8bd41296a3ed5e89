"""The MCP servers that the user named: their addresses or commands, and the tools in use.

The values come from `--mcp`, a `mcpServers` file and controlplane.toml. They are never
written to the journal.
"""

from __future__ import annotations

import json
import os
import shlex
from codecs import BOM_UTF8
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qsl, unquote, urlsplit

import re2
from pydantic import BaseModel, ConfigDict, ValidationError

from controlplane.errors import UsageError, as_usage_error, did_you_mean
from controlplane.gates.submission import encodable
from controlplane.sandbox.interface import bounds, parse_json
from controlplane.tools.script_names import script_name

RESERVED: Final = ("answer", "tools", "mcp")
"""Names of `harness` that a server cannot have."""


# --- One server ---


class ServerSpec(BaseModel):
    """The command or the address of one MCP server."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    command: str = ""
    args: tuple[str, ...] = ()
    env: dict[str, str] = {}
    cwd: str | None = None
    url: str = ""
    headers: dict[str, str] = {}
    read_only: tuple[str, ...] = ()
    """Tools that only read, although the server does not declare it. `*` matches any text."""

    @property
    def shown_url(self) -> str:
        """The address without its user, password, query and fragment."""
        parts = urlsplit(self.url)
        host = parts.netloc.rpartition("@")[2]
        return parts._replace(netloc=host, query="", fragment="").geturl()

    @property
    def secrets(self) -> tuple[str, ...]:
        """Possible secrets: in the address, in headers, and in variables that are passed on.

        For `https://ann:p%40ss@host/?key=k1`, they are `ann:p%40ss`, `ann`, `p%40ss`,
        `key=k1` and `k1`, and the same texts without escapes, such as `p@ss`.
        """
        secrets: set[str] = set()

        # The address
        parts = urlsplit(self.url)
        login = parts.netloc.rpartition("@")[0]
        secrets.update([login, *login.split(":")])
        secrets.add(parts.query)
        secrets.update(value for _, value in parse_qsl(parts.query))

        # Headers: `Bearer k1` and `k1`
        for value in self.headers.values():
            secrets.add(value)
            secrets.update(value.split()[1:])

        for name, value in self.env.items():
            if _is_secret(name):
                secrets.add(value)

        without_escapes = {unquote(secret) for secret in secrets}
        return tuple(secrets | without_escapes)


# --- Variables and secrets of other programs ---


_SECRET_WORDS: Final = (
    "KEY",
    "TOKEN",
    "SECRET",
    "PASS",
    "CREDENTIAL",
    "AUTH",
    "COOKIE",
    "SESSION",
)
_SYSTEM_VARIABLES: Final = (
    r"PATH|HOME|USER|LOGNAME|SHELL|TERM|LANG|LANGUAGE|TZ|TMPDIR|DISPLAY|VIRTUAL_ENV"
)
_PROXY_VARIABLES: Final = r"NO_PROXY|\w+_PROXY|SSL_CERT_\w+"
_TOOL_VARIABLES: Final = r"(?:LC|XDG|PYTHON|NODE|NPM|UV|CARGO|GO|JAVA|DOCKER)_?\w*"
"""Variables of languages and package managers, such as `PYTHONPATH`, `UV_CACHE_DIR`, `LC_ALL`."""
_INHERITED: Final = re2.compile(
    rf"(?i){_SYSTEM_VARIABLES}|{_PROXY_VARIABLES}|{_TOOL_VARIABLES}"
)
"""The variables that servers inherit, unless they hold secrets.

Others have to be named in a configuration file: `${GITHUB_TOKEN}`.
"""
_LOGIN: Final = re2.compile(r"://[^/ ]*@")
"""A login in an address, as in `http://user:password@host`."""
OWN_KEYS: Final = ("BITGN_API_KEY", "CONTROLPLANE_SERVE_KEY")
"""The keys of the BitGN platform, which grades trials, and of `controlplane serve`."""
SHORTEST_SECRET: Final = 6
"""Shorter values are not replaced, since they may occur in ordinary words."""


def _is_secret(name: str) -> bool:
    """Return True if a variable of this name holds a secret."""
    upper_name = name.upper()
    return any(word in upper_name for word in _SECRET_WORDS)


def environment_for_servers() -> dict[str, str]:
    """Return the environment variables that servers inherit.

    Variables whose name says that they hold a secret (`API_KEY`), or whose value is an
    address with a login, are left out.
    """
    variables = {}
    for name, value in os.environ.items():
        is_inherited = _INHERITED.fullmatch(encodable(name)) and not _is_secret(name)
        if is_inherited and not _LOGIN.search(encodable(value)):
            variables[name] = value
    return variables


def environment_for_solvers() -> dict[str, str]:
    """Return the environment variables that a user's program inherits.

    `OWN_KEYS`, and the tokens of MCP servers over HTTP, such as `MCP_WIKI_TOKEN`, are left
    out.
    """
    variables = {}
    for name, value in os.environ.items():
        is_token = fnmatchcase(name, "MCP_*_TOKEN")
        if name not in OWN_KEYS and not is_token:
            variables[name] = value
    return variables


def without_secrets(text: str, secrets: Iterable[str] = ()) -> str:
    """Return a text of another program in which secrets are replaced by `***`.

    These are the given `secrets`, and those in our environment variables.
    """
    all_secrets = set(secrets)
    for name, value in os.environ.items():
        if _is_secret(name):
            all_secrets.add(value)
    for secret in sorted(all_secrets, key=len, reverse=True):
        if len(secret) >= SHORTEST_SECRET:
            text = text.replace(secret, "***")
    return text


# --- The servers of a run ---


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
    """The user's names of servers with another name in scripts: `{"a_b": "a-b"}`."""
    reads: tuple[str, ...] = ()
    """Tools that only read according to the option `--reads`; empty until a trial begins.

    `ServerSpec.read_only` says the same in a configuration file.
    """

    def denies(self, names: Sequence[str]) -> bool:
        """Return True if the user denies the tool with these names."""
        return self.matches_any(self.deny, names)

    def allows_change(self, names: Sequence[str], question: str) -> bool:
        """Return True if the user allows a call that may change something.

        `names` are those of the tool. The user is asked `question`, unless `allow` has the tool.
        """
        if self.matches_any(self.allow, names):
            return True
        return self.approve is not None and self.approve(question)

    @staticmethod
    def matches_any(patterns: Iterable[str], names: Sequence[str]) -> bool:
        """Return True if any pattern matches any of the names of a tool.

        A tool has several names: the server's own name, and the one in scripts.
        """
        return any(fnmatchcase(name, pattern) for pattern in patterns for name in names)


def tool_access(
    options: dict[str, Any],
    configured: Mapping[str, object] | None = None,
    approve: Callable[[str], bool] | None = None,
) -> ToolAccess | None:
    """Return the servers and tools that the user named; None if no server is named.

    - `options`: the values of the command line's options about MCP servers.
    - `configured`: the servers of controlplane.toml, by name.

    If several places name the same server, `--mcp` counts first, then the file of
    `--mcp-config`, then controlplane.toml. Raises `UsageError`.
    """
    specs: dict[str, ServerSpec] = {}
    for name, fields in (configured or {}).items():
        specs[name] = _spec(name, fields, "controlplane.toml")
    if options["mcp_config"]:
        specs |= _specs_in_file(Path(options["mcp_config"]).expanduser())
    for text in options["mcp"]:
        name, spec = _named_spec(text)
        specs[name] = spec

    script_names = _script_names(specs)
    # Check these patterns even if there is no server, so that a wrong one is refused.
    allow = _patterns_in_scripts(options["allow"], script_names)
    deny = _patterns_in_scripts(options["deny"], script_names)
    if not specs:
        return None

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


def _script_names(user_names: Iterable[str]) -> dict[str, str]:
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
    return script_names


def _patterns_in_scripts(
    patterns: Iterable[str], script_names: Mapping[str, str]
) -> tuple[str, ...]:
    """Return patterns of tools with the servers' names in scripts: `a-b.read*` -> `a_b.read*`.

    `script_names` has each server's name in scripts by the user's name. Raises
    `UsageError` for a pattern that begins with no server's name.
    """
    patterns_in_scripts = []
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
        patterns_in_scripts.append(name + pattern.removeprefix(server))
    return tuple(patterns_in_scripts)


def _server_of_pattern(pattern: str, script_names: Mapping[str, str]) -> str | None:
    """Return the server's name, of either kind, before the tool in a pattern; None if none is.

    A server's name may contain a dot: `a.b.read*` fits the servers `a` and `a.b`. The
    longer name counts.
    """
    user_names = script_names.keys()
    fitting_names = []
    for name in (*user_names, *script_names.values()):
        if pattern == name or pattern.startswith(f"{name}."):
            fitting_names.append(name)
    return max(fitting_names, key=len, default=None)


# --- Where servers are named ---


def _named_spec(text: str) -> tuple[str, ServerSpec]:
    """Return the name and the server from a value of `--mcp`."""
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
        return name, _spec(name, {"url": target, "headers": headers}, "--mcp")
    with as_usage_error(f"--mcp {name}: the command cannot be read", ValueError):
        command, *args = shlex.split(target)
    return name, _spec(name, {"command": command, "args": args}, "--mcp")


_VARIABLE: Final = re2.compile(rb"\$\{(\w+)(?::-([^}]*))?\}")
"""A variable of the environment in a file: `${NAME}`, or with a default, `${NAME:-text}`."""


def _specs_in_file(path: Path) -> dict[str, ServerSpec]:
    """Return the servers of a file. Variables in it are replaced from the environment.

    Raises `UsageError`.
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
            name: _spec(name, fields, str(path)) for name, fields in servers.items()
        }


def _value_of(variable: re2._Match[bytes], path: Path) -> bytes:
    """Return the value of a match of `_VARIABLE`, as it is written inside a JSON string.

    Raises `UsageError`, which names the file at `path`, if the variable has neither a
    value nor a default.
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


LONGEST_NAME: Final = 60


def _spec(name: str, fields: object, source: str) -> ServerSpec:
    """Return a server from its fields. Raises `UsageError` with the `source` of the fields."""
    if (
        not any(sign.isascii() and sign.isalnum() for sign in name)
        or len(name) > LONGEST_NAME
    ):
        rule = f"a server's name has letters or digits, and at most {LONGEST_NAME} characters"
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
