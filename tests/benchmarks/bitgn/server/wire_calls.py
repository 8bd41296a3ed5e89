"""Calls to a server of a benchmark, as a client of the platform (BitGN) makes them.

    call(http, HARNESS + "Status").json()["status"]     # "ok"
    runtime_url = start_trial(http)
    call(http, runtime_url + "Read", {"path": "/AGENTS.MD"}).json()["content"]

A call is a POST to the path of a service and a method, with a message as JSON or protobuf.
"""

import json
from collections.abc import Mapping
from typing import Any

import httpx2

from controlplane.benchmarks.bitgn.server import ServerOptions
from tests.benchmarks.bitgn.served_shop import ECOM, HARNESS

OPTIONS = ServerOptions(api_key="a key", body_bytes=100_000)
"""A request for a run has to name the key, and no body may have more than 100 kB."""

JSON_HEADERS = {"content-type": "application/json"}
GZIP_HEADERS = {"content-type": "application/json", "content-encoding": "gzip"}
PROTOBUF_HEADERS = {"content-type": "application/proto"}
"""The headers of a message as JSON, as compressed JSON, and as protobuf, a binary form."""


def call(
    http: httpx2.Client,
    url: str,
    message: Mapping[str, Any] | None = None,
    **headers: str,
) -> httpx2.Response:
    """Call a method with a message as JSON; with an empty one if none is given."""
    return http.post(
        url, content=json.dumps(message or {}), headers={**JSON_HEADERS, **headers}
    )


def start_trial(http: httpx2.Client) -> str:
    """Start a run and its first trial. Return the URL to which the trial's calls go."""
    run_request = {"benchmarkId": "shelf", "name": "n", "apiKey": "a key"}
    run = call(http, HARNESS + "StartRun", run_request).json()
    trial = call(http, HARNESS + "StartTrial", {"trialId": run["trialIds"][0]}).json()
    return str(trial["harnessUrl"]) + ECOM


def assert_is_error(reply: httpx2.Response, status: int, code: str) -> None:
    """Assert that a reply is an error: `{"code": "not_found", "message": "..."}`."""
    assert reply.status_code == status
    assert reply.headers["content-type"] == "application/json"
    assert reply.json()["code"] == code
    assert reply.json()["message"]
    assert "a key" not in reply.text
