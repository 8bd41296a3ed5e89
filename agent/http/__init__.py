"""HTTP for models and platforms: kept connections, one deadline per exchange, bounded replies, proxies."""

from typing import TYPE_CHECKING

import agent

if TYPE_CHECKING:
    from agent.http.kept_connections import (
        Exchange,
        HttpReply,
        HttpRequest,
        KeptConnections,
        NotConnectedError,
        UnusableUrlError,
    )

__getattr__ = agent.lazy_face(__name__, __file__)
