"""One MCP server that the user named: its command or its address."""

from __future__ import annotations

from urllib.parse import parse_qsl, unquote, urlsplit

from pydantic import BaseModel, ConfigDict

from controlplane.mcp.program_secrets import is_secret


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
    call_s: float | None = None
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
            if is_secret(name):
                secrets.add(value)

        without_escapes = {unquote(secret) for secret in secrets}
        return tuple(secrets | without_escapes)
