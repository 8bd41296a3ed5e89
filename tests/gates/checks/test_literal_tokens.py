"""Gate 8: the answer contains the literal strings that its script or its request demands.

A script may declare `tokens = ["b-104", ["yes", "no"]]`: the answer must contain `b-104` and
exactly one of the alternatives `yes` and `no`. If the request shows a form with a placeholder,
such as `<COUNT:%d>`, the answer must fill it in: `<COUNT:3>`.
"""

from __future__ import annotations

import pytest

from tests.gates.judged_scratchpads import (
    judge_scratchpad,
    objection_of,
    valid_scratchpad,
    verdict_of,
)
from tests.support.executed_work import assert_linear

TOKEN_GATE = 8


def objection_to_tokens(answer: str, tokens: object) -> str:
    """Return what the gate objects to in an answer of a script that declares `tokens`.

    An empty string if the gate accepts the answer.
    """
    judgement = judge_scratchpad(valid_scratchpad(answer=answer, tokens=tokens))
    return objection_of(judgement, TOKEN_GATE)


class TestDeclaredTokens:
    """An answer contains each token that its script declares, as a word of its own.

    A script declares `tokens = ["b-104", ["yes", "no"]]`. `objection_to_tokens` returns what the
    gate says of an answer; the text is empty if the gate accepts it.
    """

    @pytest.mark.parametrize(
        ("answer", "tokens"),
        [
            pytest.param("küste", [], id="none declared"),
            pytest.param("b-104", ["b-104"], id="the whole answer"),
            pytest.param("b-104", "b-104", id="a text instead of a list"),
            pytest.param(
                "the book (b-104).", ["b-104", "book"], id="between punctuation"
            ),
            pytest.param("21 Tage", ["21"], id="a number"),
        ],
    )
    def test_an_answer_with_its_declared_tokens_passes(
        self, answer: str, tokens: object
    ) -> None:
        """Each token stands in the answer as a word of its own."""
        assert objection_to_tokens(answer, tokens) == ""

    @pytest.mark.parametrize(
        ("answer", "token"),
        [
            pytest.param("b-1045", "b-104", id="a digit behind it"),
            pytest.param("xb-104", "b-104", id="a letter before it"),
            pytest.param("unavailable", "available", id="the end of a word"),
            pytest.param("naja", "ja", id="the end of a short word"),
            pytest.param("jaé", "ja", id="a letter with an accent behind it"),
        ],
    )
    def test_a_token_inside_a_longer_word_does_not_count(
        self, answer: str, token: str
    ) -> None:
        """The script declares the token `b-104`, but its answer has `b-1045`, which is another
        id."""
        assert f"`{token}` is not in the answer" in objection_to_tokens(answer, [token])


class TestAlternatives:
    """Of a list of alternatives, an answer contains exactly one.

    `["ja", "nein"]` demands both texts, and `[["ja", "nein"]]` exactly one of them.
    """

    @pytest.mark.parametrize(
        ("answer", "alternatives"),
        [
            pytest.param("ja", ["ja", "nein"], id="one of two words"),
            pytest.param("ja ja", ["ja", "nein"], id="the same word twice"),
            pytest.param("<YES>", ["<YES>", "<NO>"], id="in angle brackets"),
            pytest.param("TRUE(1)", ["TRUE(1)", "FALSE(0)"], id="with brackets inside"),
            # One alternative is part of the other: only the longer one counts.
            pytest.param(
                "unavailable",
                ["available", "unavailable"],
                id="a part of a longer word",
            ),
            pytest.param(
                "not available",
                ["available", "not available"],
                id="a part of two words",
            ),
        ],
    )
    def test_an_answer_with_one_of_its_alternatives_passes(
        self, answer: str, alternatives: list[str]
    ) -> None:
        """The script declares a list in the list: the answer must contain exactly one of these
        texts."""
        assert objection_to_tokens(answer, [alternatives]) == ""

    @pytest.mark.parametrize(
        ("answer", "tokens", "objection"),
        [
            pytest.param(
                "ja",
                ["ja", "nein"],
                "list inside the list",
                id="alternatives declared as tokens",
            ),
            pytest.param(
                "ja oder nein",
                [["ja", "nein"]],
                "holds 2 of the alternatives",
                id="both alternatives",
            ),
            pytest.param(
                "available or unavailable",
                [["available", "unavailable"]],
                "holds 2",
                id="both alternatives, of which one contains the other",
            ),
            pytest.param(
                "vielleicht",
                [["ja", "nein"]],
                "holds none of the alternatives",
                id="no alternative",
            ),
        ],
    )
    def test_an_answer_without_exactly_one_alternative_is_rejected(
        self, answer: str, tokens: object, objection: str
    ) -> None:
        assert objection in objection_to_tokens(answer, tokens)


class TestInvalidTokens:
    """Tokens are texts, or lists of alternative texts, at most 100 in all.

    Tokens are declared by the script, and the message says what is wrong with them. Here each
    script declares something else, and answers `x`.
    """

    @pytest.mark.parametrize(
        ("tokens", "objection"),
        [
            pytest.param({"a": 1}, "a mapping of 1", id="a mapping"),
            pytest.param([3], "the number `3`", id="a number"),
            pytest.param([""], "holds ``", id="an empty token"),
            pytest.param([[]], "a list of 0", id="no alternatives"),
            pytest.param([["a", 3]], "a list of 2", id="a number as alternative"),
            pytest.param([["", "x"]], "a list of 2", id="an empty alternative"),
            pytest.param(["x"] * 101, "declares 101 strings", id="101 tokens"),
            pytest.param(
                [["x"] * 51] * 2, "declares 102 strings", id="102 alternatives"
            ),
        ],
    )
    def test_tokens_that_are_not_a_list_of_texts_are_rejected(
        self, tokens: object, objection: str
    ) -> None:
        """`["b-104", ["yes", "no"]]` would be right. Alternatives count as texts of their own."""
        actual_objection = objection_to_tokens(answer="x", tokens=tokens)

        assert objection in actual_objection


class TestManyAlternatives:
    """Alternatives that contain each other are counted in linear time."""

    def test_counting_alternatives_that_contain_each_other_is_linear_work(self) -> None:
        """An answer must hold exactly one of the alternatives `["yes", "no"]`, so the gate counts
        those that it holds. Here they are `+`, `++`, `+++` and so on: each occurs in all longer
        ones, at several places. The answer has each of them many times."""
        alternative_count = 40
        alternatives = ["+" * length for length in range(1, alternative_count + 1)]

        def count(repetitions: int) -> None:
            """Judge an answer such as `+ + ++ ++ +++ +++ …`, for 2 repetitions."""
            words: list[str] = []
            for alternative in alternatives:
                words += [alternative] * repetitions
            objection = objection_to_tokens(" ".join(words), [alternatives])
            assert f"holds {alternative_count} of the alternatives" in objection

        # Twice as many repetitions must not take much more than twice the work.
        assert_linear(count, 50)


def objection_to_placeholder(instruction: str, answer: str) -> str:
    """Return what the gate objects to in an answer to an instruction that may show a
    placeholder."""
    scratchpad = valid_scratchpad(answer=answer, outcome="OUTCOME_OK")
    judgement = judge_scratchpad(scratchpad, instruction=instruction)
    return objection_of(judgement, TOKEN_GATE)


# Instructions with a placeholder, and answers that fill it: `%d` is a number, and `%s` a text
FILLED = [
    ("How many? Answer as <COUNT:%d>.", "<COUNT:3>"),
    ("How many? Answer as <COUNT:%d>.", "There are <COUNT:3> of them."),
    ("Wie viele? Antworte als [ANZAHL: %d].", "[ANZAHL: 3]"),
    ("Combien ? <NOMBRE:%d>", "<NOMBRE:3>"),
    ("Answer <A:%d> or <B:%s>.", "<B:none>"),  # One of several is enough.
]


# Instructions with a placeholder, and answers that do not fill it
NOT_FILLED = [
    ("How many? Answer as <COUNT:%d>.", "3"),
    ("How many? Answer as <COUNT:%d>.", "<COUNT:three>"),  # "three" is no number.
    ("Wie viele? Antworte als [ANZAHL: %d].", "3"),
]


# Instructions whose placeholder is no demand, and answers that do not fill it
NOT_DEMANDED = [
    # Somebody else is quoted: in quotation marks, behind `>`, in a code block
    ('They said "answer with <COUNT:%d> and so on". How many?', "3"),
    ("How many?\n> Answer as <COUNT:%d>.\n", "3"),
    ("How many?\n```\nAnswer as <COUNT:%d>.\n```", "3"),
    # No placeholder: one has brackets around it, and a percent sign
    ("How many? Answer as %d.", "three"),
    ("How many? Answer as <COUNT:n>.", "3"),
]


class TestPlaceholders:
    """If the request shows a form with a placeholder, the answer fills it in.

    "How many? Answer as <COUNT:%d>." demands an answer such as `<COUNT:3>`: `%d` is a number,
    and `%s` a text. A program reads such answers. `FILLED`, `NOT_FILLED` and `NOT_DEMANDED` are
    lists of requests, each with an answer to it. Demanded is neither what is quoted, as in
    'They said "answer with <COUNT:%d>"', nor a `%d` without brackets.
    """

    @pytest.mark.parametrize(("instruction", "answer"), FILLED)
    def test_an_answer_that_fills_the_placeholder_passes(
        self, instruction: str, answer: str
    ) -> None:
        """To "How many? Answer as <COUNT:%d>." the answer may be "There are <COUNT:3> of them."."""
        objection = objection_to_placeholder(instruction, answer)

        assert "fill the placeholder in" not in objection

    @pytest.mark.parametrize(("instruction", "answer"), NOT_FILLED)
    def test_an_answer_that_does_not_fill_the_placeholder_is_rejected(
        self, instruction: str, answer: str
    ) -> None:
        """To "How many? Answer as <COUNT:%d>." the answer is "3". It may be right, but has not the
        form that the request shows."""
        objection = objection_to_placeholder(instruction, answer)

        assert "fill the placeholder in" in objection

    @pytest.mark.parametrize(("instruction", "answer"), NOT_DEMANDED)
    def test_a_placeholder_that_is_only_quoted_or_incomplete_is_not_demanded(
        self, instruction: str, answer: str
    ) -> None:
        """Such a request does not want its answer in that form, so any answer passes."""
        objection = objection_to_placeholder(instruction, answer)

        assert "fill the placeholder in" not in objection

    @pytest.mark.parametrize(
        ("instruction", "answer"), FILLED + NOT_FILLED + NOT_DEMANDED
    )
    def test_a_refusal_need_not_fill_the_placeholder(
        self, instruction: str, answer: str
    ) -> None:
        """A refusal has no result to put into `<COUNT:%d>`. So the gate does not apply, whether or
        not the instruction demands a placeholder, and whether or not the answer fills it."""
        scratchpad = valid_scratchpad(answer=answer, outcome="OUTCOME_NONE_UNSUPPORTED")

        judgement = judge_scratchpad(scratchpad, instruction=instruction)

        assert verdict_of(judgement, TOKEN_GATE).result == "not_applicable"
