"""The MCP servers in a `mcpServers` file, which `--mcp-config` names. Other programs use the same form.

`{"mcpServers": {"db": {"command": "uvx", "args": ["mcp-server-sqlite", "${DB:-app.db}"]}}}`
"""

from __future__ import annotations

import json
import os
from codecs import BOM_UTF8
from pathlib import Path
from typing import Final

import re2

from controlplane.errors import UsageError, as_usage_error
from controlplane.mcp.named_servers import server_spec
from controlplane.mcp.server_specs import ServerSpec
from controlplane.sandbox.interface import bounds, parse_json

_VARIABLE: Final = re2.compile(rb"\$\{(\w+)(?::-([^}]*))?\}")
"""A variable of the environment in a file: `${NAME}`, or with a default, `${NAME:-text}`."""


def specs_in_file(path: Path) -> dict[str, ServerSpec]:
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
            name: server_spec(name, fields, str(path))
            for name, fields in servers.items()
        }


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
