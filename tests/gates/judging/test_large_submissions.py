"""However large a submission is, the gates judge it with bounded work, and their message is short.

A script is written by a model and may submit megabytes of text, or thousands of facts. To compare
each part with all others would take billions of executed lines of Python.
"""

from __future__ import annotations

from typing import NamedTuple

import pytest

from tests.gates.judged_scratchpads import judge_scratchpad, valid_scratchpad
from tests.support.executed_work import executed_lines

pytestmark = pytest.mark.second_tier

MOST_LINES = 20_000_000
MOST_MESSAGE_CHARS = 40_000


class Judging(NamedTuple):
    """How a submission was judged."""

    lines: int
    """How many lines of Python were executed."""
    message: str
    """What the model is told."""


def judging_of(scratchpad: dict[str, object]) -> Judging:
    """Judge a submission.

    `judging_of(valid_scratchpad())` is about `Judging(lines=32_000, message="")`.
    """
    messages: list[str] = []
    lines = executed_lines(
        lambda: messages.append(judge_scratchpad(scratchpad).message)
    )
    (message,) = messages
    return Judging(lines, message)


class TestHugeTexts:
    """One text has up to ten megabytes."""

    @pytest.mark.parametrize(
        "scratchpad",
        [
            pytest.param(valid_scratchpad(answer="x" * 10_000_000), id="answer"),
            pytest.param(
                valid_scratchpad(refs_why={"/docs/Loans.md": "loan " * 200_000}),
                id="reason of a citation",
            ),
            pytest.param(
                valid_scratchpad(
                    refs_why={"/docs/" + "../" * 100_000: "a loan runs 21 days"}
                ),
                id="cited path",
            ),
            pytest.param(
                valid_scratchpad(tokens=["\x00" * 1_000_000]),
                id="token, which the answer must have",
            ),
        ],
    )
    def test_a_huge_text_is_judged_with_bounded_work(
        self, scratchpad: dict[str, object]
    ) -> None:
        judging = judging_of(scratchpad)

        assert judging.lines < MOST_LINES
        assert len(judging.message) < MOST_MESSAGE_CHARS

    def test_lone_surrogates_do_not_get_into_the_message(self) -> None:
        """A Python string may have one half of a UTF-16 pair. The message is stored as UTF-8, which
        cannot encode it."""
        surrogates = "\ud800" * 100_000

        judging = judging_of(
            valid_scratchpad(facts={surrogates: 1}, outcome=surrogates)
        )

        judging.message.encode("utf-8")  # It could be encoded.
        assert judging.lines < MOST_LINES
        assert len(judging.message) < MOST_MESSAGE_CHARS


class TestTokens:
    """Tokens are texts that the answer must have. A list among them has alternatives, of which the
    answer must have exactly one: `tokens=["21", ["open", "closed"]]`."""

    def test_1000_tokens_that_occur_often(self) -> None:
        judging = judging_of(
            valid_scratchpad(answer="21 days " * 100_000, tokens=["21"] * 1_000)
        )

        assert judging.lines < MOST_LINES
        assert len(judging.message) < MOST_MESSAGE_CHARS

    def test_100000_alternatives_that_are_the_same(self) -> None:
        judging = judging_of(valid_scratchpad(tokens=[["a"] * 100_000]))

        assert judging.lines < MOST_LINES
        assert len(judging.message) < MOST_MESSAGE_CHARS

    def test_100_alternatives_that_do_not_occur(self) -> None:
        # "q1", "q02", "q003", ..., each longer by one digit
        alternatives = [f"q{str(digits).zfill(digits)}" for digits in range(1, 101)]

        judging = judging_of(
            valid_scratchpad(answer="x" * 200_000, tokens=[alternatives])
        )

        assert judging.lines < MOST_LINES
        assert len(judging.message) < MOST_MESSAGE_CHARS

    def test_100_tokens_that_contain_each_other(self) -> None:
        """Each of "aa", "aaa", "aaaa", ... occurs at each place of the answer."""
        tokens = ["a" * length for length in range(2, 102)]

        judging = judging_of(valid_scratchpad(answer="a" * 300_000, tokens=tokens))

        assert judging.lines < MOST_LINES
        assert len(judging.message) < MOST_MESSAGE_CHARS


class TestManyParts:
    """A submission has thousands of facts, citations or changes, each of which is checked."""

    def test_a_chain_of_2000_derived_facts(self) -> None:
        """Fact 0 is derived from fact 1, fact 1 from fact 2, and so on."""
        facts: dict[str, object] = {}
        for number in range(2_000):
            facts[str(number)] = {
                "value": 1,
                "description": "d",
                "source": str(number + 1),
                "confidence": "derived",
            }

        judging = judging_of(valid_scratchpad(facts=facts))

        assert judging.lines < MOST_LINES
        assert len(judging.message) < MOST_MESSAGE_CHARS

    def test_1000_citations(self) -> None:
        reasons: dict[str, str] = {}
        for number in range(1_000):
            reasons[f"/docs/{number}.md"] = "a loan runs 21 days"

        judging = judging_of(valid_scratchpad(refs_why=reasons))

        assert judging.lines < MOST_LINES
        assert len(judging.message) < MOST_MESSAGE_CHARS

    def test_50000_declared_changes(self) -> None:
        changes: list[dict[str, str]] = []
        for number in range(50_000):
            changes.append({"path": f"/x/{number}", "action": "write"})

        judging = judging_of(valid_scratchpad(changes=changes))

        assert judging.lines < MOST_LINES
        assert len(judging.message) < MOST_MESSAGE_CHARS
