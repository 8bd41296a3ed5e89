"""Finds out why an endpoint has refused a request, by a small request that is sent as a test.

If the endpoint refuses the small request, too, it refuses all requests, and the run should
stop. If it replies, only the request of one trial is refused.
"""

from __future__ import annotations

from typing import Final

from controlplane.agent.endpoint.errors.error_meaning import meaning_of
from controlplane.agent.endpoint.errors.error_reply import ErrorReply
from controlplane.agent.endpoint.errors.meaning import UNKNOWN
from controlplane.agent.endpoint.errors.refusal_error import refusal_error
from controlplane.agent.endpoint.exchanges import Exchanges
from controlplane.agent.endpoint.requests.written_request import WrittenRequest
from controlplane.agent.model import Message, ModelError

PROBE: Final = Message(
    role="user",
    content='Reply with {"state": "ready", "plan": [], "done": false, "code": "1"}',
)
"""The message of the small request, which any working endpoint answers. It names the fields
of an action, because the reply may have to fit their schema."""


def diagnose_refusal(
    refusal: ErrorReply, written: WrittenRequest, exchanges: Exchanges
) -> ModelError:
    """Return the error of a refused request. Sends the test if the reason is unknown.

    | the endpoint answers the test with | the error affects |
    |---|---|
    | a reply | one trial; the error carries the reply in `test_reply`, because it costs money |
    | an error that may pass: it is busy | one trial |
    | any other error | all trials |
    | nothing, because the connection broke | one trial |
    """
    settings = written.plan.settings
    if meaning_of(refusal).name != UNKNOWN:
        return refusal_error(refusal, settings)

    test = small_request(written)
    try:
        answer = exchanges.reply_to(test.body, test.plan.request.deadline)
    except ModelError:
        return refusal_error(refusal, settings)
    if isinstance(answer, ErrorReply):
        affects_all = not meaning_of(answer).retryable
        return refusal_error(refusal, settings, affects_all=affects_all)
    error = refusal_error(refusal, settings)
    error.test_reply = answer
    return error


def small_request(refused: WrittenRequest) -> WrittenRequest:
    """Return the request that is sent as a test: the system messages, and the probe.

    It is written like the refused request, in the same reply mode.
    """
    messages: list[Message] = []
    for message in refused.plan.request.messages:
        if message["role"] == "system":
            messages.append(message)
    messages.append(PROBE)
    return refused.with_messages(messages)
