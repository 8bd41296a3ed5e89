"""A mistake in the options that name MCP servers is an error before any server is started.

A server is a program, which could change something. `tool_access` reads the options and the file of
servers, and starts nothing:

    --mcp x    ->    UsageError "... NAME=COMMAND ..."
"""

from pathlib import Path
from typing import Any

import pytest

from controlplane.errors import UsageError
from controlplane.mcp.tool_access import tool_access
from tests.controlplane.mcp.server_options.option_values import NO_OPTIONS, config_file


@pytest.mark.parametrize(
    ("option", "expected_error"),
    [
        pytest.param({"mcp": ("x",)}, "NAME=COMMAND", id="no command"),
        pytest.param({"mcp": ("-=y",)}, "has letters or digits", id="no name"),
        pytest.param({"mcp": ("x='",)}, "cannot be read", id="open quotation"),
        pytest.param(
            {"allow": ("db.x",)}, "name tools as NAME.TOOL", id="unknown server"
        ),
        pytest.param(
            {"mcp_config": "."}, "cannot be read: Is a directory", id="folder"
        ),
    ],
)
def test_invalid_option_is_refused(
    option: dict[str, Any],
    expected_error: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It is refused before a server is started."""
    monkeypatch.chdir(tmp_path)

    with pytest.raises(UsageError, match=expected_error):
        tool_access(NO_OPTIONS | option)


def test_file_of_servers_that_is_too_long_is_refused(tmp_path: Path) -> None:
    """The file has a terabyte of zeros, which take no room on the disk."""
    terabyte = 1 << 40
    file = tmp_path / "endless.json"
    with file.open("wb") as endless:
        endless.truncate(terabyte)

    with pytest.raises(UsageError, match="longer than 1,000,000 bytes"):
        tool_access(NO_OPTIONS | {"mcp_config": str(file)})


def test_file_of_servers_with_an_unset_variable_is_refused(tmp_path: Path) -> None:
    """An empty text in its place could mean something else to the server."""
    database = {"command": "x", "args": ["${NOT_THERE}"], "type": "stdio"}
    file = config_file(tmp_path, {"db": database})

    with pytest.raises(UsageError, match="has no NOT_THERE"):
        tool_access(NO_OPTIONS | {"mcp_config": file})
