"""What other programs may know of our environment: the variables they inherit, without secrets."""

from __future__ import annotations

import os
from collections.abc import Iterable
from fnmatch import fnmatchcase
from typing import Final

import re2

from controlplane.gates.surrogates import encodable

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


def is_secret(name: str) -> bool:
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
        is_inherited = _INHERITED.fullmatch(encodable(name)) and not is_secret(name)
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
        if is_secret(name):
            all_secrets.add(value)
    for secret in sorted(all_secrets, key=len, reverse=True):
        if len(secret) >= _SHORTEST_SECRET:
            text = text.replace(secret, "***")
    return text
