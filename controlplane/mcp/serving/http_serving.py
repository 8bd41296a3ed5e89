"""Serves MCP clients over HTTP on this machine, if their requests carry a token."""

from __future__ import annotations

import secrets
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from controlplane.sandbox.interface import bounds

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server

ENDING_S: Final = 10.0
"""The time that running requests have when a server over HTTP ends."""


@contextmanager
def served_over_http(
    server: Server[Any], token: str, host: str = "127.0.0.1", port: int = 0
) -> Iterator[str]:
    """Serve requests that carry the token over HTTP on this machine. Yield the address."""
    import uvicorn

    app = server.streamable_http_app(
        host=host, max_request_body_size=bounds.MOST_MCP_MESSAGE_BYTES
    )
    with socket.socket() as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
        listening.listen()
        config = uvicorn.Config(
            _TokenGuard(app, token),
            log_level="critical",
            http="h11",
            ws="none",
            timeout_graceful_shutdown=2,
        )
        http_server = uvicorn.Server(config)
        thread = threading.Thread(
            target=http_server.run, kwargs={"sockets": [listening]}, daemon=True
        )
        thread.start()
        try:
            yield f"http://{host}:{listening.getsockname()[1]}/mcp"
        finally:
            http_server.should_exit = True
            thread.join(ENDING_S)


class _TokenGuard:
    """An ASGI application that passes on only requests with the bearer token."""

    def __init__(self, app: Any, token: str) -> None:
        from starlette.responses import PlainTextResponse

        self.app = app
        self.authorization = f"Bearer {token}".encode()
        headers = {"connection": "close", "www-authenticate": "Bearer"}
        self.refusal = PlainTextResponse("a bearer token is needed", 401, headers)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http" and not self._has_token(scope):
            await self.refusal(scope, receive, send)
        else:
            await self.app(scope, receive, send)

    def _has_token(self, scope: Any) -> bool:
        headers = dict(scope.get("headers", ()))
        return secrets.compare_digest(
            headers.get(b"authorization", b""), self.authorization
        )
