"""Who may read the pages of `controlplane view`.

The server listens on the loopback interface, and refuses every request that lacks its
cookie, names another host, or comes from a page of another site.
"""

from __future__ import annotations

from typing import Final

from starlette.middleware.base import RequestResponseEndpoint
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response

from controlplane.web_host import is_token

_HEADERS: Final = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types view",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cache-control": "no-store",
}
"""Headers that make a browser run only this server's script, and keep no copy of a page."""


class Gatekeeper:
    """Refuses requests of browsers that have not opened the address that the server printed.

    That address contains a token. A request with the token gets a cookie, which all later
    requests have to carry. `answer` is a middleware: it is called for every request.
    """

    def __init__(self, token: str, port: int) -> None:
        self.token = token
        self.hosts = frozenset([f"127.0.0.1:{port}", f"localhost:{port}"])
        self.cookie = f"controlplane_view_{port}"

    async def answer(
        self, request: Request, call_next: RequestResponseEndpoint
    ) -> Response:
        """Return the page or a refusal, with those `_HEADERS` that the page does not set itself."""
        response = self.refusal(request) or await call_next(request)
        for name, value in _HEADERS.items():
            response.headers.setdefault(name, value)
        return response

    def refusal(self, request: Request) -> Response | None:
        """Return the response to send instead of a page; None if the request is allowed."""
        if request.headers.get("host") not in self.hosts:
            return PlainTextResponse(
                "this server answers to 127.0.0.1 and localhost only", 421
            )
        origin = request.headers.get("origin")
        if origin is not None and origin.removeprefix("http://") not in self.hosts:
            return PlainTextResponse("this page belongs to another site", 403)
        if request.method not in ("GET", "HEAD"):
            return PlainTextResponse("nothing can be changed here", 405)
        if is_token(request.query_params.get("token", ""), self.token):
            return self._first_answer(request)
        if is_token(request.cookies.get(self.cookie, ""), self.token):
            return None
        return PlainTextResponse(
            "open the address that `controlplane view` printed, with its token", 403
        )

    def _first_answer(self, request: Request) -> Response:
        """Return a redirect to the same page without the token, together with the cookie."""
        path = f"/{request.url.path.lstrip('/')}"  # `//host/…` would redirect to another host.
        response = RedirectResponse(path, 303)
        response.set_cookie(self.cookie, self.token, httponly=True, samesite="strict")
        return response
