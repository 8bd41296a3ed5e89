"""HTTP for models and platforms: kept connections, one deadline per exchange, proxies, Retry-After."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from agent.http.connections import CONNECT_TIMEOUT_S as CONNECT_TIMEOUT_S
    from agent.http.connections import HTTP_ERRORS as HTTP_ERRORS
    from agent.http.connections import Connections as Connections
    from agent.http.connections import Exchange as Exchange
    from agent.http.connections import core_url as core_url
    from agent.http.deadline_transport import deadline_client as deadline_client
    from agent.http.error_causes import cause_of as cause_of
    from agent.http.error_causes import causes_of as causes_of
    from agent.http.retry_after import LONGEST_RETRY_S as LONGEST_RETRY_S
    from agent.http.retry_after import retry_after_s as retry_after_s

_HOMES = {
    "connections": ("CONNECT_TIMEOUT_S", "HTTP_ERRORS", "Connections", "Exchange", "core_url"),
    "deadline_transport": ("deadline_client",),
    "error_causes": ("cause_of", "causes_of"),
    "retry_after": ("LONGEST_RETRY_S", "retry_after_s"),
}


def __getattr__(name: str) -> object:
    """Import a public name at its first use, so that nobody waits for what is not needed."""
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{home}"), name)
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)
