"""Sends a request again without the parts that an endpoint refuses, until it replies.

| request | the endpoint answers |
|---|---|
| with `seed` and a schema | 400: `'seed' is not supported` |
| with a schema | 400: `response_format is not supported` |
| with neither, asking for JSON in words | a reply, with two notices for the user |
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.endpoint.errors.error_reply import ErrorReply
from controlplane.agent.endpoint.exchanges import Exchanges
from controlplane.agent.endpoint.reduced_request import reduced_request
from controlplane.agent.endpoint.refusal_diagnosis import diagnose_refusal
from controlplane.agent.endpoint.requests.written_request import WrittenRequest
from controlplane.agent.model import Reply


@dataclass(frozen=True, slots=True)
class AcceptedRequest:
    """A request that the endpoint has accepted, with its reply."""

    written: WrittenRequest
    reply: Reply
    notices: tuple[str, ...]
    """For the user: what was left out, each in one line; empty if nothing was."""


def negotiate(written: WrittenRequest, exchanges: Exchanges) -> AcceptedRequest:
    """Send a request, and send it again without each part that is refused.

    Raises `ModelError` if no part can be left out, or if there is no reply.
    """
    deadline = written.plan.request.deadline
    notices: list[str] = []
    outcome = exchanges.reply_to(written.body, deadline)
    while isinstance(outcome, ErrorReply):
        reduced = reduced_request(written, outcome)
        if reduced is None:
            raise diagnose_refusal(outcome, written, exchanges)
        notices.append(reduced.notice)
        written = reduced.request
        outcome = exchanges.reply_to(written.body, deadline)
    return AcceptedRequest(written, outcome, tuple(notices))
