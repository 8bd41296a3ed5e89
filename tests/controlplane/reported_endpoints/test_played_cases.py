"""Each recorded case is played by a test, so that a new one is not forgotten.

A case is a JSON file with an endpoint's replies, such as `d04-retry-date.json`. A test that plays
the case has its name, or `readable_replies.txt` has it.
"""

import re
from pathlib import Path

from tests.controlplane.reported_endpoints.recorded_case import CASES

REPLIES_WRITTEN_IN_TESTS = {
    "a14-reasoning-tokens-only-in-total",
    "a16-cache-read-anthropic",
    "c29-empty-then-good",
    "c30-empty-cost-limit",
    "d16-cached-greater",
    "e11-byok-run-cost",
    "e12-byok-run-cost-no-prices",
}
"""Cases whose replies the tests of the folder `costs` have themselves, with what they cost."""


def test_each_recorded_case_is_played_by_a_test() -> None:
    folder = Path(__file__).parent
    played_cases = set((folder / "readable_replies.txt").read_text().split())
    played_cases |= REPLIES_WRITTEN_IN_TESTS
    for path in folder.rglob("test_*.py"):
        played_cases |= set(re.findall('"(.+?)"', path.read_text("utf-8")))

    recorded_cases = {path.stem for path in CASES.glob("*.json")}
    assert recorded_cases <= played_cases
