"""Whatever a script submits, the gates judge it with bounded work, without an exception.

A script is written by a model and may submit anything: lists that contain themselves, megabytes
of text, objects whose methods lie. The gates judge a plain copy of the submission.
"""

from __future__ import annotations

import pytest

from tests.gates.judged_scratchpads import judge_scratchpad, valid_scratchpad
from tests.gates.scripted_verify import ScriptedVerify, VerifyAnswer
from tests.support.executed_work import executed_lines

pytestmark = pytest.mark.second_tier


class EditingVerify(ScriptedVerify):
    """A `verify` that edits the submitted scratchpad while gate 7 calls it, and then says yes."""

    def __init__(self, scratchpad: dict[str, object]) -> None:
        super().__init__()
        self.scratchpad = scratchpad

    def ask(self, blanked: bool) -> VerifyAnswer:
        """Sneak another outcome and a citation in."""
        self.scratchpad["outcome"] = "OUTCOME_DENIED_SECURITY"
        self.scratchpad["refs_why"]["/etc/passwd"] = "sneaked in later"
        return super().ask(blanked)


class TestChangedSubmissions:
    """A script cannot change what it submitted while the gates judge it."""

    def test_a_verify_that_edits_the_scratchpad_does_not_change_the_submission(
        self,
    ) -> None:
        """The scratchpad was copied before `verify` was called, so that the edits come too late."""
        scratchpad = valid_scratchpad()

        judgement = judge_scratchpad(scratchpad, verify=EditingVerify(scratchpad))

        assert judgement.accepted
        assert judgement.outcome == "OUTCOME_OK"
        assert judgement.refs == ("/docs/Loans.md",)


def take_apart(deep_list: list[object]) -> None:
    """Free a list level by level. Python could overflow its stack if it freed all levels at
    once."""
    inner: object = deep_list
    while isinstance(inner, list):
        inner = inner.pop()


class TestNestedLists:
    """A list may contain itself, or be nested deeper than Python's stack.

    The gates judge a plain copy of what was submitted. A list that cannot be copied counts as
    missing, so that the submission is rejected.
    """

    def test_a_list_that_contains_itself_is_rejected(self) -> None:
        """A plain copy of it cannot be made, so it counts as missing."""
        cycle: list[object] = []
        cycle.append(cycle)
        facts = {"a": {"value": cycle, "confidence": "x"}}

        judgement = judge_scratchpad(valid_scratchpad(facts=facts, answer=cycle))

        assert not judgement.accepted

    def test_a_list_of_100000_levels_is_rejected(self) -> None:
        """The answer and a fact are a list in a list, and so on: `[[[…["bottom"]…]]]`. A function
        that called itself for each level would exceed Python's limit of recursion."""
        deep_list: list[object] = ["bottom"]
        for _ in range(100_000):
            deep_list = [deep_list]
        facts = {"a": {"value": deep_list, "confidence": "x"}}

        judgement = judge_scratchpad(valid_scratchpad(facts=facts, answer=deep_list))

        assert not judgement.accepted
        take_apart(deep_list)


def assert_judged_with_bounded_work(scratchpad: dict[str, object]) -> None:
    """Assert that a submission is judged in at most 20 million lines of Python, and that the
    message about it is short. Gates that compared each part with all others would need billions."""
    judgement = judge_scratchpad(scratchpad)

    assert executed_lines(lambda: judge_scratchpad(scratchpad)) < 20_000_000
    assert len(judgement.message) < 40_000
    judgement.message.encode("utf-8")  # raises if it has a lone surrogate


class TestHugeParts:
    """One part of the scratchpad has a size that no honest script needs.

    The answer, a reason, a cited path or a token has up to ten megabytes. A *token* is a text
    that the answer must contain, and a list within the tokens has alternatives.
    """

    @pytest.mark.parametrize(
        "scratchpad",
        [
            pytest.param(valid_scratchpad(answer="x" * 10_000_000), id="answer"),
            pytest.param(
                valid_scratchpad(answer="21 days " * 100_000, tokens=["21"] * 1_000),
                id="many tokens that occur often",
            ),
            pytest.param(
                valid_scratchpad(refs_why={"/docs/Loans.md": "loan " * 200_000}),
                id="reason",
            ),
            pytest.param(
                valid_scratchpad(
                    refs_why={"/docs/" + "../" * 100_000: "a loan runs 21 days"}
                ),
                id="path",
            ),
            pytest.param(valid_scratchpad(tokens=["\x00" * 1_000_000]), id="token"),
            pytest.param(valid_scratchpad(tokens=[["a"] * 100_000]), id="alternatives"),
        ],
    )
    def test_a_huge_text_or_list_is_judged_with_bounded_work(
        self, scratchpad: dict[str, object]
    ) -> None:
        assert_judged_with_bounded_work(scratchpad)

    def test_lone_surrogates_do_not_get_into_the_message(self) -> None:
        """A lone surrogate is half of a UTF-16 pair. A Python string may have it, but UTF-8 cannot
        encode it, and the message is stored as UTF-8."""
        surrogates = "\ud800" * 100_000

        assert_judged_with_bounded_work(
            valid_scratchpad(facts={surrogates: 1}, outcome=surrogates)
        )


class TestManyParts:
    """A submission may have thousands of facts, citations, changes or tokens.

    Facts say how the script knows something. Tokens are texts that the answer must contain; of a
    list of alternatives, exactly one. Each of them is checked, with bounded work in all: gates that
    compared each with all others would execute billions of lines of Python.
    """

    def test_a_chain_of_2000_derived_facts_is_judged_with_bounded_work(self) -> None:
        """Fact 0 is derived from fact 1, fact 1 from fact 2, and so on. The gate follows the
        chain."""
        facts: dict[str, object] = {}
        for number in range(2_000):
            facts[str(number)] = {
                "value": 1,
                "description": "d",
                "source": str(number + 1),
                "confidence": "derived",
            }

        assert_judged_with_bounded_work(valid_scratchpad(facts=facts))

    def test_1000_citations_are_judged_with_bounded_work(self) -> None:
        reasons: dict[str, str] = {}
        for number in range(1_000):
            reasons[f"/docs/{number}.md"] = "a loan runs 21 days"

        assert_judged_with_bounded_work(valid_scratchpad(refs_why=reasons))

    def test_50000_declared_changes_are_judged_with_bounded_work(self) -> None:
        changes: list[dict[str, str]] = []
        for number in range(50_000):
            changes.append({"path": f"/x/{number}", "action": "write"})

        assert_judged_with_bounded_work(valid_scratchpad(changes=changes))

    def test_100_alternatives_that_do_not_occur_are_judged_with_bounded_work(
        self,
    ) -> None:
        """The answer must have exactly one of `q1`, `q02`, `q003` and so on, each longer by one
        digit. It has none of them."""
        alternatives: list[str] = []
        for length in range(1, 101):
            digits = str(length).zfill(length)
            alternatives.append(f"q{digits}")

        assert_judged_with_bounded_work(
            valid_scratchpad(tokens=[alternatives], answer="x" * 200_000)
        )

    def test_100_tokens_that_contain_each_other_are_judged_with_bounded_work(
        self,
    ) -> None:
        """The tokens `aa`, `aaa`, `aaaa` and so on occur in an answer of many `a` at each place."""
        tokens = ["a" * length for length in range(2, 102)]

        assert_judged_with_bounded_work(
            valid_scratchpad(tokens=tokens, answer="a" * 300_000)
        )
