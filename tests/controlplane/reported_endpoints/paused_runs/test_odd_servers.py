"""A run pauses if its model's server streams although it was not asked to, or never answers.

`played` is the run of one trial against such a server. A case such as `d02-hang-forever` is a file that
says how the server behaves.
"""

import pytest

from controlplane.errors import Unreachable
from tests.controlplane.reported_endpoints.case_checks import check_paused
from tests.controlplane.reported_endpoints.played_case import PlayedCase, plays


@plays("a17-sse-only")
def test_a_server_that_always_streams_is_named_as_the_fault(played: PlayedCase) -> None:
    """The address is right, so the message must not ask whether it is."""
    check_paused(played, "stream")
    assert "is OPENAI_BASE_URL" not in played.printed


@pytest.mark.parametrize("patience_s", [4])
@plays("d02-hang-forever")
def test_a_server_that_never_answers_is_given_up(played: PlayedCase) -> None:
    """A request may take 2 s. The run sends it twice, and pauses because its patience with the
    model (4 s) is over. On a very busy machine the trial, which has 8 s, may end first."""
    assert len(played.requests) > 1, played.summary
    assert played.result.code in (0, Unreachable.exit_code), played.summary
    assert "did not answer" in played.printed + played.notices
