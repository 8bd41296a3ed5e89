"""What the URL of a call refers to: the server, or the runtime of one trial.

Calls about runs and trials are sent to `http://HOST/SERVICE/METHOD`, calls of a trial's
runtime to `http://HOST/trials/ID/SERVICE/METHOD`.
"""

from __future__ import annotations

from collections.abc import MutableMapping
from contextvars import ContextVar
from typing import Any, Final, NamedTuple, TypeAlias

Scope: TypeAlias = MutableMapping[str, Any]
"""What ASGI tells about a request: its `path`, `headers` and so on."""
TRIAL_PREFIX: Final = "/trials/"
"""The URL path of a trial's runtime is this prefix and the trial's id."""


def trial_url(address: str, trial_id: str) -> str:
    """Return the URL of a trial's runtime. `address` is the base URL that the client used."""
    return f"{address}{TRIAL_PREFIX}{trial_id}"


class CallTarget(NamedTuple):
    """What the URL of a call refers to: the server itself, or the runtime of a trial."""

    address: str
    """The base URL that the client used for the server, such as `http://127.0.0.1:8080`."""
    path_prefix: str
    """The path before the service and method: `/trials/ID`, or empty."""

    @property
    def trial_id(self) -> str:
        """The trial whose runtime is called; empty for calls about runs and trials."""
        if self.path_prefix.startswith(TRIAL_PREFIX):
            return self.path_prefix.removeprefix(TRIAL_PREFIX)
        return ""


CURRENT_TARGET: Final[ContextVar[CallTarget]] = ContextVar("target")
"""The target of the request that the current asyncio task handles.

The application sets it for the endpoints, because `connectrpc` does not pass them the URL.
"""


def target_of(scope: Scope, own_host: str) -> CallTarget:
    """Return the target of a request.

    `own_host`, such as `127.0.0.1:8080`, is used if the client names no host.
    """
    host = own_host
    for name, value in scope["headers"]:
        if name == b"host" and value:
            host = value.decode("latin-1")
            break
    address = f"{scope.get('scheme', 'http')}://{host}"
    # The path ends with `/SERVICE/METHOD`.
    path_prefix = scope["path"].rsplit("/", 2)[0]
    return CallTarget(address, path_prefix)
