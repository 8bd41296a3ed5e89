"""The MCP servers that a user names by the option `--mcp`, and the checks of any named server.

`--mcp "db=uvx mcp-server-sqlite"` names a program, and `--mcp web=https://example.org/mcp` an address.
"""

from __future__ import annotations

import os
import shlex
from typing import Final

from pydantic import ValidationError

from controlplane.errors import UsageError, as_usage_error
from controlplane.mcp.server_specs import ServerSpec


def named_spec(text: str) -> tuple[str, ServerSpec]:
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
        return name, server_spec(name, {"url": target, "headers": headers}, "--mcp")
    with as_usage_error(f"--mcp {name}: the command cannot be read", ValueError):
        command, *args = shlex.split(target)
    return name, server_spec(name, {"command": command, "args": args}, "--mcp")


LONGEST_NAME: Final = 60


def server_spec(name: str, fields: object, source: str) -> ServerSpec:
    """Return a server from its fields: `{"command": "uvx", "args": ["mcp-server-sqlite"]}`.

    Raises `UsageError`, whose message begins with the `source` of the fields, such as `--mcp`.
    """
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
