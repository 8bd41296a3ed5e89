"""Gates reject thousands of invented paths without comparing each with all files that were read.

The message about a citation such as `/nowhere/0.md` names the nearest file that was read. A script
that cites 200 invented paths after it has read 200 files must not cost 40,000 comparisons.
"""

from __future__ import annotations

from tests.gates.judged_scratchpads import (
    judge_scratchpad,
    objection_of,
    valid_scratchpad,
)
from tests.gates.recorded_calls import CallsOfTrial
from tests.support.executed_work import assert_linear

FACTS_GATE = 2
"""Rejects a fact whose source no call accessed."""
READ_GATE = 4
"""Rejects a citation of a path that no call accessed."""
PATHS_WITH_A_HINT = 8
"""For so many paths, a message names the nearest file that was read."""


def assert_few_hints(objection: str, path_count: int) -> None:
    """Assert that an objection to so many paths has 8 hints, and ends with "and 92 more"."""
    lines = objection.splitlines()
    hints = [line for line in lines if "nearest that was read" in line]
    assert len(hints) == PATHS_WITH_A_HINT
    assert f"and {path_count - PATHS_WITH_A_HINT} more" in lines[-1]


def calls_that_read_files(count: int) -> CallsOfTrial:
    """Return the calls of a trial that read `/shelf/0.json`, `/shelf/1.json` and so on."""
    calls = CallsOfTrial()
    for number in range(count):
        calls.read(f"/shelf/{number}.json")
    return calls


class TestManyInventedPaths:
    """Twice as many invented paths take only twice the work.

    The message of a gate names the nearest file that was read only for the first 8 paths, and
    then says "and 192 more". To look for it for every path would compare all paths with all
    files.
    """

    def test_rejecting_many_citations_of_invented_paths_is_linear_work(self) -> None:
        """As many paths are cited as files were read, and none of them is one of these files."""

        def cite_invented_paths(path_count: int) -> None:
            calls = calls_that_read_files(path_count)
            refs: dict[str, str] = {}
            for number in range(path_count):
                refs[f"/nowhere/{number}.md"] = "no such thing"

            judgement = judge_scratchpad(valid_scratchpad(refs_why=refs), calls)

            assert_few_hints(objection_of(judgement, READ_GATE), path_count)

        assert_linear(cite_invented_paths, 200)

    def test_rejecting_many_facts_with_invented_sources_is_linear_work(self) -> None:
        """Gate 2 checks that the source of each fact was read, which is none of these paths."""

        def submit_facts(fact_count: int) -> None:
            calls = calls_that_read_files(fact_count)
            facts: dict[str, object] = {}
            for number in range(fact_count):
                facts[f"fact {number}"] = {
                    "value": 21,
                    "description": "days of a loan",
                    "source": f"/nowhere/{number}.md",
                    "confidence": "verified",
                }

            judgement = judge_scratchpad(valid_scratchpad(facts=facts), calls)

            assert_few_hints(objection_of(judgement, FACTS_GATE), fact_count)

        assert_linear(submit_facts, 200)
