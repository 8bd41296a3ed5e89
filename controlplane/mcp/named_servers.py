"""Where the user names MCP servers: in the option `--mcp`, and in a `mcpServers` file."""

from __future__ import annotations

import json
import os
import shlex
from codecs import BOM_UTF8
from pathlib import Path
from typing import Final

import re2
from pydantic import ValidationError

from controlplane.errors import UsageError, as_usage_error
from controlplane.mcp.server_specs import ServerSpec
from controlplane.sandbox.interface import bounds, parse_json


def named_spec(text: str) -> tuple[str, ServerSpec]:
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
        return name, server_spec(name, {"url": target, "headers": headers}, "--mcp")
    with as_usage_error(f"--mcp {name}: the command cannot be read", ValueError):
        command, *args = shlex.split(target)
    return name, server_spec(name, {"command": command, "args": args}, "--mcp")


_VARIABLE: Final = re2.compile(rb"\$\{(\w+)(?::-([^}]*))?\}")
"""A variable of the environment in a file: `${NAME}`, or with a default, `${NAME:-text}`."""


def specs_in_file(path: Path) -> dict[str, ServerSpec]:
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
            name: server_spec(name, fields, str(path))
            for name, fields in servers.items()
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


def server_spec(name: str, fields: object, source: str) -> ServerSpec:
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
