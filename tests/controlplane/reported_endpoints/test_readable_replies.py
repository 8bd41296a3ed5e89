"""Right replies in unusual forms, which a run has to read without asking again.

Examples: a tool call whose arguments are an object instead of a text (`b01-args-object`), or an
answer behind a byte-order mark (`b20-bom`). About 75 recorded cases are of this kind.
"""

from pathlib import Path

import pytest

from tests.controlplane.reported_endpoints.case_checks import check_solved
from tests.controlplane.reported_endpoints.played_case import PlayedCase
from tests.controlplane.reported_endpoints.recorded_case import CASES


def is_named_by_another_test(case_name: str) -> bool:
    """Return whether a test beside this one plays a case, which is then of another kind."""
    for module in Path(__file__).parent.glob("test_*.py"):
        if f'"{case_name}"' in module.read_text(encoding="utf-8"):
            return True
    return False


def readable_replies() -> list[str]:
    """Return the names of all cases that no other test plays."""
    all_cases = sorted(path.stem for path in CASES.glob("*.json"))
    return [name for name in all_cases if not is_named_by_another_test(name)]


@pytest.mark.parametrize("played", readable_replies(), indirect=True)
def test_a_right_reply_in_an_unusual_form_is_read_with_one_request(
    played: PlayedCase,
) -> None:
    """The trial is solved, and the model is not asked again."""
    check_solved(played, max_requests=1)
