"""The user's API key goes to its endpoint, and appears nowhere else, even if the endpoint repeats it.

It is not printed, recorded in a journal, or sent in a prompt: the journal has it as "[key]". The option
`--debug` prints tracebacks, which do not show the key either.
"""

import json
import socket
from pathlib import Path

from controlplane.errors import Unreachable
from tests.controlplane.model_endpoints.phonebook_endpoint import (
    PHONEBOOK_RUN,
    phonebook_endpoint,
)
from tests.support.endpoints import (
    ModelHttpRequest,
    completion_json,
    error_response,
    http_response,
    responding_always,
)

KEY = "sk-canary-fedcba9876543210"
"""The user's key for the endpoint."""

SHORT_RUN = (
    *PHONEBOOK_RUN,
    "--limit=1",
    "--repeats=3",
    "--max-steps=1",
    "--model-patience=0",
    "--debug",
)


def test_a_key_in_a_refusal_is_not_recorded_or_printed(tmp_path: Path) -> None:
    refusal = responding_always(error_response(401, f"no such key: {KEY}"))

    with phonebook_endpoint(tmp_path, refusal) as endpoint:
        result = endpoint.command(*SHORT_RUN, OPENAI_API_KEY=KEY, BITGN_API_KEY=KEY)
    (journal_file,) = tmp_path.glob("runs/*.jsonl")
    journal = journal_file.read_text()

    assert result.code == Unreachable.exit_code, result.err
    assert "401" in journal
    assert KEY not in journal
    assert KEY not in result.out
    assert KEY not in result.err
    for request in endpoint.server.asked:
        assert KEY not in json.dumps(request.body)


def test_a_key_in_a_reply_is_not_recorded_printed_or_sent_back(tmp_path: Path) -> None:
    """The reply is not a script, so the trial ends without an answer of the model."""

    def reply_with_key(request: ModelHttpRequest, connection: socket.socket) -> bytes:
        sent_key = request.headers["authorization"]  # "Bearer sk-canary-..."
        return http_response(200, completion_json(f"no action, but {sent_key}"))

    with phonebook_endpoint(tmp_path, reply_with_key) as endpoint:
        result = endpoint.command(*SHORT_RUN, OPENAI_API_KEY=KEY, BITGN_API_KEY=KEY)
    (journal_file,) = tmp_path.glob("runs/*.jsonl")
    journal = journal_file.read_text()

    assert result.code == 0, result.err
    assert "no action, but Bearer [key]" in journal
    assert KEY not in journal
    assert KEY not in result.out
    assert KEY not in result.err
    for request in endpoint.server.asked:
        assert KEY not in json.dumps(request.body)
