"""A submission that is too large is sent back without being judged.

A submission is an answer with the files that it cites. It may cite at most 1,000 paths, and a path may
not have 5,000 characters.
"""

from tests.agent.gated_exit.judging.cited_answers import (
    answer_citing,
    verdicts_in_this_process,
)
from tests.gates.recorded_calls import CallsOfTrial


def test_1001_citations_are_sent_back_with_their_number() -> None:
    citations = {f"/{number}": "why" for number in range(1_001)}
    nothing_read = CallsOfTrial().evidence

    (verdict,) = verdicts_in_this_process(
        answer_citing(citations), nothing_read, rule_sets=()
    )

    assert verdict.result == "reject"
    assert verdict.enforcement == "block"  # until it is corrected
    assert "1001 paths" in verdict.reason


def test_a_path_of_5000_characters_is_sent_back_with_its_length() -> None:
    citations = {"/" * 5_000: "why"}
    nothing_read = CallsOfTrial().evidence

    (verdict,) = verdicts_in_this_process(
        answer_citing(citations), nothing_read, rule_sets=()
    )

    assert verdict.result == "reject"
    assert verdict.enforcement == "block"
    assert "5000" in verdict.reason
