"""Endpoints that play the phone book for a while, and then fail.

    phonebook_endpoint(folder, responding_until(9, failure=overloaded))

serves nine requests, and refuses all others: 503 "overloaded".
"""

import socket

from tests.support.endpoints import (
    ModelHttpRequest,
    Responder,
    error_response,
    responding_always,
)
from tests.support.phonebook_model import respond


def responding_until(request_count: int, failure: Responder) -> Responder:
    """Return a responder that plays for this number of requests, and then fails."""
    requests_so_far = 0

    def respond_or_fail(request: ModelHttpRequest, connection: socket.socket) -> bytes:
        nonlocal requests_so_far
        requests_so_far += 1
        if requests_so_far <= request_count:
            return respond(request, connection)
        return failure(request, connection)

    return respond_or_fail


overloaded = responding_always(error_response(503, "overloaded"))
"""A responder that refuses every request, for now."""
