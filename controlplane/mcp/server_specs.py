"""The MCP servers that the user named: their addresses or commands, and the tools that scripts may call.

Values come from `--mcp`, a `mcpServers` file and controlplane.toml. They are never journalled.
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

from controlplane.errors import UsageError, as_usage_error
from controlplane.gates.submission import encodable
from controlplane.sandbox.interface import bounds, parse_json

RESERVED: Final = frozenset({"answer", "tools", "mcp"})
_SECRET_WORDS: Final = ("KEY", "TOKEN", "SECRET", "PASS", "CREDENTIAL", "AUTH", "COOKIE", "SESSION")
INHERITED: Final = re2.compile(
    r"(?i)PATH|HOME|USER|LOGNAME|SHELL|TERM|LANG|LANGUAGE|TZ|TMPDIR|DISPLAY|VIRTUAL_ENV|NO_PROXY|SSL_CERT_\w+"
    r"|(?:LC|XDG|PYTHON|NODE|NPM|UV|CARGO|GO|JAVA|DOCKER)_?\w*|\w+_PROXY"
)
"""Variables that servers inherit, unless they hold secrets; a file passes on others, as `${GITHUB_TOKEN}`."""
_LOGIN: Final = re2.compile(r"://[^/ ]*@")


def _is_secret(name: str) -> bool:
    """Say whether a variable of this name holds a secret."""
    return any(word in name.upper() for word in _SECRET_WORDS)


class ServerSpec(BaseModel):
    """The command or address of one server."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    command: str = ""
    args: tuple[str, ...] = ()
    env: dict[str, str] = {}
    cwd: str | None = None
    url: str = ""
    headers: dict[str, str] = {}
    read_only: tuple[str, ...] = ()
    """Tools that only read although the server does not say so; `*` matches any text."""

    @property
    def shown_url(self) -> str:
        """The address without user, password, query and fragment."""
        parts = urlsplit(self.url)
        return parts._replace(
            netloc=parts.netloc.rpartition("@")[2], query="", fragment=""
        ).geturl()

    @property
    def secrets(self) -> tuple[str, ...]:
        """What may be secret in the address and headers, and in variables that are passed on."""
        parts = urlsplit(self.url)
        login = parts.netloc.rpartition("@")[0]
        values = [word for value in self.headers.values() for word in (value, *value.split()[1:])]
        values += [value for name, value in self.env.items() if _is_secret(name)]
        words = [
            login,
            *login.split(":"),
            parts.query,
            *(value for _, value in parse_qsl(parts.query)),
            *values,
        ]
        return tuple({spelling for word in words for spelling in (word, unquote(word))})


def environment_for_servers() -> dict[str, str]:
    """Return the variables that servers inherit; none with a secret name, or an address that holds a login."""
    return {
        name: value
        for name, value in os.environ.items()
        if INHERITED.fullmatch(encodable(name))
        and not _is_secret(name)
        and not _LOGIN.search(encodable(value))
    }


def environment_for_solvers() -> dict[str, str]:
    """Return the variables that a user's program inherits: all but the keys of the platform, of our own server and of
    servers over HTTP."""
    return {
        name: value
        for name, value in os.environ.items()
        if name not in ("BITGN_API_KEY", "CONTROLPLANE_SERVE_KEY")
        and not fnmatchcase(name, "MCP_*_TOKEN")
    }


def without_secrets(text: str, secrets: Iterable[str] = ()) -> str:
    """Return a text of another program with these secrets, and those of our environment, replaced by `***`."""
    held = [*secrets, *(value for name, value in os.environ.items() if _is_secret(name))]
    for secret in sorted(set(held), key=len, reverse=True):
        text = text.replace(secret, "***") if len(secret) >= 6 else text
    return text


@dataclass(frozen=True, slots=True)
class ToolAccess:
    """The servers of a run, and the tools that scripts may call."""

    servers: Mapping[str, ServerSpec]
    allow: tuple[str, ...] = ()
    """Tools that may be called although they may change something, as NAME.tool; `*` matches any text."""
    deny: tuple[str, ...] = ()
    """Tools that are never called."""
    approve: Callable[[str], bool] | None = field(default=None, compare=False)
    """Asks the user about one call; None if nobody can be asked."""

    @staticmethod
    def names_one(patterns: Iterable[str], names: Sequence[str]) -> bool:
        """Say whether a pattern matches one of a tool's names: the server's own, and the one of scripts."""
        return any(fnmatchcase(name, pattern) for pattern in patterns for name in names)


def tool_access(
    options: dict[str, Any],
    configured: Mapping[str, object] | None = None,
    approve: Callable[[str], bool] | None = None,
) -> ToolAccess | None:
    """Return the servers and tools that the values of `tool_options` name, None without any. `configured` are the
    servers of controlplane.toml by name. Raises `UsageError`."""
    named, file = options["mcp"], options["mcp_config"]
    allow, deny = tuple(options["allow"]), tuple(options["deny"])
    servers = {
        name: _spec(name, given, "controlplane.toml") for name, given in (configured or {}).items()
    }
    if file:
        servers |= _in_file(Path(file).expanduser())
    servers |= dict(map(_server_of, named))
    for pattern in (*allow, *deny):
        if pattern.partition(".")[0] not in servers:
            msg = (
                f"--allow and --deny name tools as NAME.TOOL of a server of --mcp, not {pattern!r}"
            )
            raise UsageError(msg)
    return ToolAccess(servers, allow, deny, approve) if servers else None


def _server_of(text: str) -> tuple[str, ServerSpec]:
    name, equals, target = text.partition("=")
    if not equals or not target.strip():
        msg = f'--mcp takes NAME=COMMAND or NAME=https://..., as --mcp "db=uvx mcp-server-sqlite", not {text!r}'
        raise UsageError(msg)
    if target.startswith(("http://", "https://")):
        token = os.environ.get(f"MCP_{name.upper()}_TOKEN")
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        return name, _spec(name, {"url": target, "headers": headers}, "--mcp")
    with as_usage_error(f"--mcp {name}: the command cannot be read", ValueError):
        command, *args = shlex.split(target)
    return name, _spec(name, {"command": command, "args": args}, "--mcp")


def _in_file(path: Path) -> dict[str, ServerSpec]:
    """Return the servers of a file, with `${VAR}` and `${VAR:-default}` replaced from the environment."""

    def value_of(place: re2._Match) -> bytes:
        name, default = place.groups()
        value = os.environ.get(name.decode())
        if value is None and default is None:
            msg = f"--mcp-config {path}: the environment has no {name.decode()}"
            raise UsageError(msg)
        return bytes(default) if value is None else json.dumps(value)[1:-1].encode()

    form = f'--mcp-config {path}: it holds no {{"mcpServers": {{NAME: ...}}}}'
    with (
        as_usage_error(f"--mcp-config {path}: it cannot be read", OSError),
        as_usage_error(form, ValueError, KeyError, TypeError, AttributeError),
        path.open("rb") as file,
    ):
        filled = re2.sub(
            rb"\$\{(\w+)(?::-([^}]*))?\}", value_of, file.read(bounds.MOST_TEXT_BYTES + 1)
        )
        servers = parse_json(filled.removeprefix(BOM_UTF8), most_bytes=bounds.MOST_TEXT_BYTES)[
            "mcpServers"
        ]
        return {name: _spec(name, given, str(path)) for name, given in servers.items()}


def _spec(name: str, given: object, source: str) -> ServerSpec:
    is_name = name.isascii() and name.isidentifier() and name[0] != "_" and len(name) <= 31
    if not is_name or name in RESERVED:
        msg = f"{source}: a server is named with letters, digits and underscores, and not {', '.join(RESERVED)}: {name!r}"
        raise UsageError(msg)
    try:
        spec = ServerSpec.model_validate(given)
    except ValidationError as error:
        fault = error.errors()[0]
        msg = f"{source}: {name}: {'.'.join(map(str, fault['loc']))}: {fault['msg']}"
        raise UsageError(msg) from error
    if bool(spec.command) == bool(spec.url):
        msg = f"{source}: {name}: a server has either a command or a url"
        raise UsageError(msg)
    return spec
