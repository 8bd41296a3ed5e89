"""Gates reject many invented paths without comparing each with all files that were read.

The message about a citation such as `/nowhere/0.md` names the nearest file that was read. A script
that cites 200 invented paths after it has read 200 files must not cost 40,000 comparisons. So the
message has this hint for the first 8 paths, and then says "and 192 more".
"""

from __future__ import annotations

from tests.gates.found_verdicts import objection_of
from tests.gates.judged_scratchpads import judge_scratchpad, valid_scratchpad
from tests.gates.recorded_calls import CallsOfTrial
from tests.support.executed_work import assert_linear


def calls_that_read_files(count: int) -> CallsOfTrial:
    """Return the calls of a trial that read `/shelf/0.json`, `/shelf/1.json` and so on."""
    calls = CallsOfTrial()
    for number in range(count):
        calls.read(f"/shelf/{number}.json")
    return calls


def cite_invented_paths(path_count: int) -> None:
    """Cite as many invented paths as files were read."""
    refs: dict[str, str] = {}
    for number in range(path_count):
        refs[f"/nowhere/{number}.md"] = "no such thing"

    judgement = judge_scratchpad(
        valid_scratchpad(refs_why=refs), calls_that_read_files(path_count)
    )

    # Gate 4 rejects a citation of a path that no call accessed.
    objection = objection_of(judgement, 4)
    assert objection.count("nearest that was read") == 8
    assert f"and {path_count - 8} more" in objection.splitlines()[-1]


def submit_facts_of_invented_paths(fact_count: int) -> None:
    """Submit as many facts as files were read, each with an invented path as its source."""
    facts: dict[str, object] = {}
    for number in range(fact_count):
        facts[f"fact {number}"] = {
            "value": 21,
            "description": "days of a loan",
            "source": f"/nowhere/{number}.md",
            "confidence": "verified",
        }

    judgement = judge_scratchpad(
        valid_scratchpad(facts=facts), calls_that_read_files(fact_count)
    )

    # Gate 2 rejects a fact whose source no call accessed.
    objection = objection_of(judgement, 2)
    assert objection.count("nearest that was read") == 8
    assert f"and {fact_count - 8} more" in objection.splitlines()[-1]


def test_rejecting_many_citations_of_invented_paths_is_linear_work() -> None:
    assert_linear(cite_invented_paths, 200)


def test_rejecting_many_facts_with_invented_sources_is_linear_work() -> None:
    assert_linear(submit_facts_of_invented_paths, 200)
