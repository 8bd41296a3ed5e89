"""What the longest trial of the embedded benchmark costs in input tokens."""

import pytest

from tests.bench.trial_tokens import LEAST_KEPT, LONGEST_TURNS, MOST_TOKENS, TokenUse, played_requests, with_shared


@pytest.fixture(scope="module")
def used(request: pytest.FixtureRequest) -> list[TokenUse]:
    """What tasks of twelve families cost; with `--heavy`, every task of a run."""
    limit = None if request.config.getoption("--heavy") else 12
    played = played_requests([1], "mixed", turns=LONGEST_TURNS, limit=limit)
    return [each.used(LONGEST_TURNS) for each in played]


def test_the_longest_trial_stays_within_its_tokens_and_most_of_them_are_kept(used):
    longest = max(used, key=lambda each: each.tokens)
    assert longest.tokens <= MOST_TOKENS
    assert longest.share >= LEAST_KEPT


def test_all_trials_together_keep_as_much(used):
    assert len(used) > 9
    assert sum(each.kept for each in used) / sum(each.tokens for each in used) >= LEAST_KEPT


def test_a_first_request_keeps_what_another_trial_begins_with_and_a_later_one_the_request_before():
    first, second = with_shared([("a", ["tools one", "tools one more.."]), ("b", ["tools 222"])])
    assert (first.shared_first, second.shared_first) == (6, 6)
    assert first.used(2) == TokenUse(tokens=(9 + 16) // 4, kept=(6 + 9) // 4, family="a")
