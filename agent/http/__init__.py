"""HTTP for models and platforms: kept connections, one deadline per exchange, proxies, Retry-After."""

from agent.http.connections import CONNECT_TIMEOUT_S, HTTP_ERRORS, Connections, Exchange, core_url
from agent.http.deadline_transport import deadline_client
from agent.http.error_causes import cause_of, causes_of
from agent.http.retry_after import LONGEST_RETRY_S, retry_after_s
