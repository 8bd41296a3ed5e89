"""Right replies in unusual forms, which a run has to read without asking again.

Examples: a tool call whose arguments are an object instead of a text (`b01-args-object`), or an
answer behind a byte-order mark (`b20-bom`). About 75 recorded cases are of this kind.
"""

from pathlib import Path

import pytest

from tests.controlplane.reported_endpoints.case_checks import check_solved
from tests.controlplane.reported_endpoints.played_case import PlayedCase
from tests.controlplane.reported_endpoints.recorded_case import CASES

WRITTEN_IN_TEST_COSTS = {
    "a14-reasoning-tokens-only-in-total",
    "a16-cache-read-anthropic",
    "c29-empty-then-good",
    "c30-empty-cost-limit",
    "d16-cached-greater",
    "e11-byok-run-cost",
    "e12-byok-run-cost-no-prices",
}
"""Cases whose replies stand in the folder `costs`, which says more about them."""


def is_named_by_another_test(case_name: str) -> bool:
    """Return whether a test beside this one plays a case, which is then of another kind."""
    for module in Path(__file__).parent.rglob("test_*.py"):
        if f'"{case_name}"' in module.read_text(encoding="utf-8"):
            return True
    return False


def readable_replies() -> list[str]:
    """Return the names of all cases that no other test plays."""
    names = []
    for path in sorted(CASES.glob("*.json")):
        name = path.stem
        if name not in WRITTEN_IN_TEST_COSTS and not is_named_by_another_test(name):
            names.append(name)
    return names


@pytest.mark.parametrize("played", readable_replies(), indirect=True)
def test_a_right_reply_in_an_unusual_form_is_read_with_one_request(
    played: PlayedCase,
) -> None:
    """The trial is solved, and the model is not asked again."""
    check_solved(played, max_requests=1)
