"""One request to a service of the platform, in the Connect protocol with a JSON body.

For example, `StartTrial` with `{"trialId": "x4T"}` is sent to
`https://api.bitgn.com/bitgn.harness.HarnessService/StartTrial`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from controlplane.benchmarks.bitgn.client.connection.http_exchange import (
    EXCHANGE_ERRORS,
    HttpReply,
)
from controlplane.benchmarks.bitgn.client.connection.missing_replies import (
    error_without_reply,
)
from controlplane.benchmarks.bitgn.client.connection.platform_client import Service
from controlplane.benchmarks.bitgn.client.connection.wire_errors import (
    Message,
    WireError,
)
from controlplane.benchmarks.bitgn.client.connection.wire_replies import message_of
from controlplane.sandbox.interface import Plain, error_codes

HEADERS: Final = {
    "user-agent": "grounded-control-plane",
    "content-type": "application/json",
    "connect-protocol-version": "1",
}
ENDED: Final = "its trial has ended"


@dataclass(frozen=True, slots=True)
class PlatformRequest:
    """A request, which may be sent more than once."""

    service: Service
    """Where it is sent."""
    method: str
    """The method of the service, such as `StartRun`."""
    message: Mapping[str, Plain]

    def send(self, deadline_s: float) -> Message:
        """Send the request once and return the message of its reply. Raises `WireError`.

        The complete reply must arrive within `deadline_s` seconds.
        """
        if self.service.is_closed:
            raise self.given_up(ENDED)
        try:
            reply = self._post(deadline_s)
        except EXCHANGE_ERRORS as error:
            host = self.service.base_url
            raise error_without_reply(self.method, error, host, deadline_s) from None
        return message_of(self.method, reply, self.service.client.secrets)

    def _post(self, deadline_s: float) -> HttpReply:
        """Send the request. Raises the errors of `HttpExchange.post`."""
        deadline_ms = max(1, int(deadline_s * 1000))
        headers = {**HEADERS, "connect-timeout-ms": str(deadline_ms)}
        url = f"{self.service.url}/{self.method}"
        body = json.dumps(self.message, separators=(",", ":")).encode()
        return self.service.client.post(url, headers, body, deadline_s)

    def given_up(self, reason: str) -> WireError:
        """Return the error of a request that was not sent."""
        msg = f"{self.method} was given up: {reason}"
        # It has taken no effect (not in doubt), and another attempt would fail, too.
        return WireError(error_codes.CANCELED, msg, in_doubt=False, transient=False)
