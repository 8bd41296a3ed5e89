"""Requests for an action, with every field that one of the vendors refuses.

    with opened_endpoint(server.url) as endpoint:
        reply = ask_for_action(endpoint)

An action is a JSON object with the script to run.
"""

from contextlib import closing
from typing import Any

from controlplane.agent.endpoint import Endpoint, EndpointSettings
from controlplane.agent.model import Reply
from controlplane.agent.reply.action_call import SCHEMA
from tests.support.endpoint_requests import MESSAGES


def opened_endpoint(url: str, learned: Any = None) -> closing[Endpoint]:
    """Return the client of a vendor's API for a `with` block. It sets all fields.

    `learned` is what an earlier client has learned of the vendor, `reply.learned`.
    """
    settings = EndpointSettings(
        "m",
        url,
        max_output_tokens=9,
        temperature=0.5,
        top_p=0.9,
        seed=7,
        reasoning_effort="low",
    )
    return closing(Endpoint(settings, learned))


def ask_for_action(endpoint: Endpoint) -> Reply:
    """Ask for an action, first by a JSON schema, and return the reply."""
    return endpoint.complete(MESSAGES, "solve", SCHEMA)
