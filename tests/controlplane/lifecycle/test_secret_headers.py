"""A gateway before the model wants a header of its own, such as `X-Gate-Key: hush-hush-hush`.

The variable CONTROLPLANE_MODEL_HEADERS names the header, and the variable with its secret value:
`{"X-Gate-Key": "$GATE_KEY"}`.
"""

from pathlib import Path

from controlplane.errors import UsageError
from tests.controlplane.model_endpoints.phonebook_endpoint import (
    PHONEBOOK_RUN,
    phonebook_endpoint,
)
from tests.support.command import check_error_line
from tests.support.phonebook_model import respond


def test_a_secret_header_is_sent_and_is_in_no_journal(tmp_path: Path) -> None:
    with phonebook_endpoint(tmp_path, respond) as endpoint:
        run = endpoint.command(
            *PHONEBOOK_RUN,
            "--limit=1",
            CONTROLPLANE_MODEL_HEADERS='{"X-Gate-Key": "$GATE_KEY"}',
            GATE_KEY="hush-hush-hush",
        )

    assert run.code == 0, run.err
    for request in endpoint.server.asked:
        assert request.headers["x-gate-key"] == "hush-hush-hush"
    (journal,) = tmp_path.glob("runs/*.jsonl")
    assert "hush" not in journal.read_text()


def test_a_secret_header_without_its_variable_is_a_usage_error(tmp_path: Path) -> None:
    with phonebook_endpoint(tmp_path, respond) as endpoint:
        refused = endpoint.command(
            *PHONEBOOK_RUN,
            "--limit=1",
            CONTROLPLANE_MODEL_HEADERS='{"X-Gate-Key": "$GATE_KEY"}',
        )

    check_error_line(refused, UsageError.exit_code, "set GATE_KEY in the environment")
