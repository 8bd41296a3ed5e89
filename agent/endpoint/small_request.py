"""A small request that any working endpoint answers.

It tests whether an endpoint refuses every request, so that the run should stop, or only the
request of one trial.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Final

from controlplane.agent.endpoint.errors.error_meaning import meaning_of, refusal_error
from controlplane.agent.endpoint.errors.error_reply import ErrorReply
from controlplane.agent.endpoint.errors.error_tables import UNKNOWN
from controlplane.agent.endpoint.exchanges import Exchanges
from controlplane.agent.endpoint.requests.written_request import WrittenRequest
from controlplane.agent.model import Message, ModelError, Reply

PROBE: Final = Message(
    role="user",
    content='Reply with {"state": "ready", "plan": [], "done": false, "code": "1"}',
)
"""The message of the small request. It names the fields
of an action, because the reply may have to fit their schema."""


def explained_refusal(
    refusal: ErrorReply, written: WrittenRequest, exchanges: Exchanges
) -> ModelError:
    """Return the error of a refused request.

    If the reason is unknown, a small request, written like the refused one, is sent as a
    test. If that is refused, too, the error is not due to this trial, but affects all. A
    reply to the test costs money, so the error carries it in `paid`.
    """
    settings = written.plan.settings
    if meaning_of(refusal).name != UNKNOWN:
        return refusal_error(refusal, settings)

    outcome: Reply | ErrorReply | None = None
    with suppress(ModelError):
        outcome = exchanges.reply_to(small_body(written), written.plan.request.deadline)
    if isinstance(outcome, ErrorReply):
        # The test itself may have failed for another reason that passes: the server is busy.
        affects_all = not meaning_of(outcome).retryable
        return refusal_error(refusal, settings, affects_all=affects_all)

    # There is a reply to the test, so only this trial's request is refused. Or there is none,
    # because the connection broke, and nothing more is known.
    error = refusal_error(refusal, settings)
    error.paid = outcome
    return error


def small_body(written: WrittenRequest) -> Mapping[str, object]:
    """Return the body of a small request: the system messages of a request, and the probe."""
    messages = []
    for message in written.plan.request.messages:
        if message["role"] == "system":
            messages.append(message)
    messages.append(PROBE)
    return written.body_for(replace(written.plan.request, messages=messages))
