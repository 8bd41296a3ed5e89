"""Right replies in unusual forms, which a run has to read without asking again.

Examples: a tool call whose arguments are an object instead of a text (`b01-args-object`), or an
answer behind a byte-order mark (`b20-bom`). The file `readable_replies.txt` names all such cases.
"""

from pathlib import Path

import pytest

from tests.controlplane.reported_endpoints.case_checks import check_solved
from tests.controlplane.reported_endpoints.played_case import PlayedCase

READABLE_REPLIES = Path(__file__).with_name("readable_replies.txt").read_text().split()


@pytest.mark.parametrize("played", READABLE_REPLIES, indirect=True)
def test_a_right_reply_in_an_unusual_form_is_read_with_one_request(
    played: PlayedCase,
) -> None:
    """The trial is solved, and the model is not asked again."""
    check_solved(played, max_requests=1)
