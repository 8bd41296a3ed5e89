"""HTTP for models and platforms: kept connections, one deadline per exchange, proxies, Retry-After."""

from agent.http.http_connection import (
    CONNECT_TIMEOUT_S,
    SHORTEST_SECRET,
    Exchange,
    HttpConnections,
    HttpError,
    HttpReply,
)
