"""No MCP server gets a key of the user, and no message or record shows one.

Keys are known by the names of their variables, such as GITHUB_TOKEN, and by their place in an address:

    http://user:pa55word@host/mcp?token=t0ps3cret    ->    http://host/mcp
"""

import os

import pytest

from controlplane.errors import ServerFailed
from controlplane.mcp.program_secrets import environment_for_servers, without_secrets
from controlplane.mcp.server_specs import ServerSpec
from controlplane.mcp.tool_access import ToolAccess
from tests.controlplane.mcp.empty_environment import start_and_end_servers


@pytest.fixture
def environment_with_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """Set some variables whose values are keys, all of which contain "secret-of-"."""
    for name in (
        "OPENAI_API_KEY",
        "GITHUB_TOKEN",
        "AWS_SECRET_ACCESS_KEY",
        "SSH_AUTH_SOCK",
        "UV_PUBLISH_TOKEN",
    ):
        monkeypatch.setenv(name, f"secret-of-{name}")
    monkeypatch.setenv("UV_INDEX_URL", "https://u:secret-of-@host/simple")


def test_error_shows_an_address_without_its_secrets() -> None:
    """The server cannot be reached. Its address has a password and a token."""
    url = "http://user:pa55word@127.0.0.1:9/mcp?token=t0ps3cret"
    spec = ServerSpec(url=url, headers={"Authorization": "Bearer abcdefgh"})

    with pytest.raises(ServerFailed) as caught:
        start_and_end_servers(ToolAccess({"far": spec}))

    assert "http://127.0.0.1:9/mcp" in str(caught.value)
    for secret in ("pa55word", "t0ps3cret", "abcdefgh", "user:"):
        assert secret not in str(caught.value)


@pytest.mark.usefixtures("environment_with_keys")
def test_servers_inherit_the_environment_without_keys() -> None:
    """A server is a program of others, which must not get the user's keys."""
    inherited = environment_for_servers()

    for value in inherited.values():
        assert "secret-of-" not in value
    assert inherited["PATH"] == os.environ["PATH"]


@pytest.mark.usefixtures("environment_with_keys")
def test_key_in_the_output_of_a_program_is_replaced() -> None:
    """What a server prints may be shown and recorded."""
    assert without_secrets("key: secret-of-GITHUB_TOKEN.") == "key: ***."
