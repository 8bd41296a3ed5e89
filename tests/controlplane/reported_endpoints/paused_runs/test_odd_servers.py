"""A run pauses if its model's server streams although it was not asked to, or never answers.

`played` is the run of one trial against such a server. A case such as `d02-hang-forever` is a file that
says how the server behaves.
"""

from controlplane.errors import Unreachable
from tests.controlplane.reported_endpoints.case_checks import check_paused
from tests.controlplane.reported_endpoints.played_case import PlayedCase, plays


@plays("a17-sse-only")
def test_a_server_that_always_streams_is_named_as_the_fault(played: PlayedCase) -> None:
    """The address is right, so the message must not ask whether it is."""
    check_paused(played, "stream")
    assert "is OPENAI_BASE_URL" not in played.printed


@plays("d02-hang-forever")
def test_a_server_that_never_answers_is_given_up(played: PlayedCase) -> None:
    """The run pauses after the first request, which may take 2 s, because its patience with the
    model is over. On a very busy machine the trial, which has 8 s, may end first."""
    assert played.result.code in (0, Unreachable.exit_code), played.summary
    assert "did not answer" in played.printed + played.notices
