"""The requests of a step, such as calls, as they are sent to the parent."""

from __future__ import annotations

from controlplane.sandbox.child.step.channel import Channel
from controlplane.sandbox.child.step.script_exceptions import HarnessError
from controlplane.sandbox.interface.error_codes import RESOURCE_EXHAUSTED
from controlplane.sandbox.interface.messages.child_requests import CallRequest, Request
from controlplane.sandbox.interface.messages.frames import TooLong
from controlplane.sandbox.interface.plain_data import Plain


class Requests:
    """Sends the requests of a step, which are numbered from 1."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._last_number = 0

    def send(self, request: Request, scratchpad: Plain) -> None:
        """Send a request. Raises `HarnessError` or `TypeError` if it cannot be sent."""
        number = self._last_number + 1
        try:
            self._channel.send(request, scratchpad, number)
        except TooLong as error:
            raise HarnessError(RESOURCE_EXHAUSTED, str(error)) from None
        except (TypeError, ValueError, RecursionError) as error:
            name = request.operation if isinstance(request, CallRequest) else "calls"
            msg = f"harness.{name}: an argument is not plain data ({error})"
            raise TypeError(msg) from None
        # Count only requests that were sent: the parent expects numbers without a gap.
        self._last_number = number
