"""How MCP servers are declared and started, with their secrets, and the texts about them."""

from __future__ import annotations

import os
from collections.abc import Iterable
from fnmatch import fnmatchcase
from typing import Final
from urllib.parse import parse_qsl, unquote, urlsplit

import re2
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from controlplane.gates.text_folding import encodable
from controlplane.sandbox.interface import bounds
from controlplane.terminal_text import sanitize

# What other programs may know of our environment: the variables they inherit, without secrets.

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
_OWN_KEYS: Final = ("BITGN_API_KEY", "CONTROLPLANE_SERVE_KEY")
"""The keys of the BitGN platform, which grades trials, and of `controlplane serve`."""
_SHORTEST_SECRET: Final = 6
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

    `_OWN_KEYS`, and the tokens of MCP servers over HTTP, such as `MCP_WIKI_TOKEN`, are left
    out.
    """
    variables = {}
    for name, value in os.environ.items():
        is_token = fnmatchcase(name, "MCP_*_TOKEN")
        if name not in _OWN_KEYS and not is_token:
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
        if len(secret) >= _SHORTEST_SECRET:
            text = text.replace(secret, "***")
    return text


# One MCP server that the user named: its command or its address.


class ServerSpec(BaseModel):
    """The command or the address of one MCP server."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    command: str = ""
    args: tuple[str, ...] = ()
    env: dict[str, str] = {}
    cwd: str | None = None
    url: str = ""
    headers: dict[str, str] = {}
    read_only: tuple[str, ...] = ()
    """Tools that only read, although the server does not declare it. `*` matches any text."""
    withheld_tools: tuple[str, ...] = ()
    """Tools that are not offered, like those of `--deny`."""
    offered_tools: tuple[str, ...] = ("*",)
    """The only tools that are offered."""
    allowed_tools: tuple[str, ...] = ()
    """Tools that may be called although they may change something, like those of `--allow`."""
    call_s: float | None = Field(default=None, gt=0, le=bounds.TOOL_CALL_S, strict=True)
    """The seconds that a call may take; None for as many as with any server."""

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
        parts = urlsplit(self.url)
        login = parts.netloc.rpartition("@")[0]
        secrets = [login, *login.split(":"), parts.query]
        secrets += [value for _, value in parse_qsl(parts.query)]
        for value in self.headers.values():
            secrets += [value, *value.split()[1:]]  # `Bearer k1` and `k1`
        secrets += [value for name, value in self.env.items() if _is_secret(name)]
        without_escapes = [unquote(secret) for secret in secrets]
        return (*secrets, *without_escapes)


# Texts of MCP servers, made safe to show.

_MOST_ERROR_CHARS: Final = 300
"""The length to which an error's message is cut in the end."""
_MOST_SEARCHED_CHARS: Final = 2_000
"""The length to which an error's message is cut before secrets are searched in it."""


def error_text(error: BaseException, spec: ServerSpec) -> str:
    """Return the message of an error in one line, without the server's secrets."""
    while isinstance(error, BaseExceptionGroup) and error.exceptions:
        error = error.exceptions[0]
    if isinstance(error, ValidationError):
        return "its reply has not the protocol's form"
    # Secrets are replaced before the final cut, since a secret that is cut in two is not found.
    text = line_of(str(error), _MOST_SEARCHED_CHARS) or type(error).__name__
    return without_secrets(text, spec.secrets)[:_MOST_ERROR_CHARS]


def line_of(text: str, most_chars: int = 120) -> str:
    """Return a server's text in one line, shortened, without invisible or control characters."""
    # A server may send a very long text, of which enough is read: joining blanks shortens it.
    read_chars = 4 * most_chars
    line = " ".join(sanitize(text[:read_chars]).split())
    if len(line) <= most_chars:
        return line
    return line[: most_chars - 1] + "…"
