"""Runs of one trial, in which the model is asked twice, with a cache for its replies."""

import socket

from tests.controlplane.model_endpoints.phonebook_endpoint import (
    PHONEBOOK_RUN,
    PhonebookEndpoint,
)
from tests.support.command import CommandResult
from tests.support.endpoints import ModelHttpRequest, completion_json, http_response
from tests.support.phonebook_model import next_action


def respond_with_cost(request: ModelHttpRequest, connection: socket.socket) -> bytes:
    """Return a reply of the model: it looks a number up, or answers, for $0.0002."""
    return http_response(200, completion_json(next_action(request), cost=0.0002))


def play_with_cache(endpoint: PhonebookEndpoint, *options: str) -> CommandResult:
    """Run one trial, which keeps the replies in the folder `cache`.

    After a first run, `play_with_cache(endpoint).json["cached_replies"]` -> `2`.
    """
    return endpoint.command(
        *PHONEBOOK_RUN, "--limit=1", "--cache=cache", "--json", *options
    )
