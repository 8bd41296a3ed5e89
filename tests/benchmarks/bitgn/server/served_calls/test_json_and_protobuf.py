"""Calls of a trial on the server get the same reply as JSON and as protobuf, a binary form.

The server offers tasks to agents over HTTP, in the protocol of the platform BitGN: `Read` with the
message `{"path": "/books/emma.json"}` gets the text of a file.
"""

from typing import Any

import httpx2
from google.protobuf.json_format import MessageToDict, ParseDict
from google.protobuf.message_factory import GetMessageClass

from controlplane.benchmarks.bitgn.proto import SERVICES
from tests.benchmarks.bitgn.raw_client import ECOM
from tests.benchmarks.bitgn.server.wire_calls import PROTOBUF_HEADERS, call, start_trial

# A message for each method of a trial's runtime.
MESSAGES: dict[str, dict[str, Any]] = {
    "Tree": {"root": "/", "level": 2},
    "Find": {"root": "/", "name": "*", "limit": 5},
    "Search": {"root": "/", "pattern": "Emma", "limit": 5},
    "Read": {"path": "/books/emma.json"},
    "Write": {"path": "/books/new.json", "content": "{}"},
    "Delete": {"path": "/books/été.json"},
    "Answer": {"message": "Emma", "outcome": "OUTCOME_OK"},
    "List": {"path": "/"},
    "Stat": {"path": "/books/emma.json"},
    "Exec": {"path": "/bin/date"},
}


def test_every_method_replies_alike_in_json_and_protobuf(http: httpx2.Client) -> None:
    """Two trials get the same calls: one in JSON, the other one in protobuf."""
    methods = SERVICES[ECOM.strip("/")].methods_by_name
    url_for_json = start_trial(http)
    url_for_protobuf = start_trial(http)

    assert set(methods) == set(MESSAGES)
    for name, fields in MESSAGES.items():
        request_class = GetMessageClass(methods[name].input_type)
        reply_class = GetMessageClass(methods[name].output_type)

        json_reply = call(http, url_for_json + name, fields)
        protobuf_reply = http.post(
            url_for_protobuf + name,
            content=ParseDict(fields, request_class()).SerializeToString(),
            headers=PROTOBUF_HEADERS,
        )

        assert json_reply.status_code == 200, json_reply.text
        assert protobuf_reply.status_code == 200, protobuf_reply.text
        message_from_json = ParseDict(json_reply.json(), reply_class())
        message_from_protobuf = reply_class.FromString(protobuf_reply.content)
        assert MessageToDict(message_from_protobuf) == MessageToDict(message_from_json)
