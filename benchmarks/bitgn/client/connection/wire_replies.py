"""Read a reply of the platform: its message, or the error that it reports.

The status 200 and JSON of the form `{"runId": "..."}` are a message. Anything else is an
error: a refusal by the platform, a damaged reply, or the page of another site.
"""

from __future__ import annotations

from controlplane.benchmarks.bitgn.client.connection.http_exchange import HttpReply
from controlplane.benchmarks.bitgn.client.connection.refused_replies import refusal_of
from controlplane.benchmarks.bitgn.client.connection.reply_text import (
    excerpt_of,
    parsed_json,
)
from controlplane.benchmarks.bitgn.client.connection.wire_errors import (
    Message,
    WireError,
    foreign_reply,
)
from controlplane.sandbox.interface import error_codes


def message_of(method: str, reply: HttpReply, secrets: tuple[str, ...]) -> Message:
    """Return the message in the reply to a call. Raises `WireError`.

    A reply that another site seems to have sent is a `foreign_reply`, and a damaged one an
    internal error of the platform. The call's policy decides which is tried again.
    `secrets` are removed first, so that no error or journal repeats them.
    """
    content = reply.content
    for secret in secrets:
        content = content.replace(secret.encode(), b"[secret]")
    if reply.status != 200:
        raise refusal_of(method, reply.status, reply.headers, content)

    content_type = (
        reply.headers.get("content-type", "").partition(";")[0].strip().lower()
    )
    if content_type != "application/json":
        shown_type = content_type or "of no type"
        msg = f"the reply of {method} is {shown_type}, not JSON; is the host right?"
        raise foreign_reply(msg + excerpt_of(content))
    message = parsed_json(content)
    if message is None:
        # The platform sends JSON, so this is probably its reply, but damaged.
        msg = f"the reply of {method} is not JSON{excerpt_of(content)}"
        raise WireError(error_codes.INTERNAL, msg)
    if not isinstance(message, dict):
        msg = f"the reply of {method} is not a JSON object{excerpt_of(content)}"
        raise foreign_reply(msg)
    return message
