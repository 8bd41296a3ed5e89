"""An API key that is revoked in the middle of a run pauses the run at once.

A refusal of the key, 401, is not made again, since it would be refused for ever. The message names the
variable OPENAI_API_KEY, and does not show the key.
"""

from pathlib import Path

from controlplane.errors import Unreachable
from tests.controlplane.model_endpoints.failing_endpoints import responding_until
from tests.controlplane.model_endpoints.phonebook_endpoint import (
    PHONEBOOK_RUN,
    phonebook_endpoint,
)
from tests.support.endpoints import error_response, responding_always


def test_a_key_that_is_revoked_in_the_middle_pauses_the_run_at_once(
    tmp_path: Path,
) -> None:
    """Two of nine trials play at once. The endpoint serves seven requests, and refuses the key from
    then on. There is no retry: each of the two trials is refused once at most."""
    key = "sk-canary-fedcba9876543210"
    revoked = responding_always(error_response(401, f"revoked: {key}"))

    with phonebook_endpoint(tmp_path, responding_until(7, failure=revoked)) as endpoint:
        paused = endpoint.command(
            *PHONEBOOK_RUN, "--repeats=3", "--concurrency=2", OPENAI_API_KEY=key
        )
        requests_before_pause = len(endpoint.server.asked)
        endpoint.recover()
        resumed = endpoint.command("resume", "last", OPENAI_API_KEY=key)

    assert paused.code == Unreachable.exit_code
    assert requests_before_pause <= 7 + 2
    assert "OPENAI_API_KEY" in paused.err
    assert key not in paused.out
    assert key not in paused.err
    assert resumed.code == 0
