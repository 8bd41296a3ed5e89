"""A text is recognised in every form in which a tool may show it again.

A script could hand `&#118;ault` or base64 to a tool, which shows the word `vault`. To know that
the word is the script's own, what the script passes is decoded, joined and unescaped in advance:
`forms_of("&#118;ault")` has `vault` among others.
"""

from __future__ import annotations

import pytest

from controlplane.agent.evidence.texts.forms.text_forms import forms_of
from tests.gates.recorded_calls import CallsOfTrial
from tests.support.executed_work import assert_linear


class TestForms:
    """The forms of an argument have the words that it spells in another notation.

    `forms_of(text)` returns the text itself, and what it is when it is decoded, joined or
    unescaped.
    """

    @pytest.mark.parametrize(
        "argument",
        [
            pytest.param("vault KX-4471", id="as it is"),
            pytest.param(r"vault \u004bX-4471", id="escapes of JSON"),
            pytest.param(r"\x76ault KX-4471", id="escapes of Python"),
            pytest.param("&#118;ault KX-4471", id="escapes of HTML"),
            pytest.param("%76ault%20KX-4471", id="escapes of a URL"),
            pytest.param("dmF1bHQgS1gtNDQ3MQ==", id="base64"),
            pytest.param(
                "dmF1bHQ-Pj4=", id="base64 for URLs"
            ),  # `vault>>>`, with - for +
            pytest.param("7661756c74204b582d34343731", id="hexadecimal"),
            pytest.param("v a u l t", id="single letters"),
            pytest.param("['v', 'a', 'u', 'l', 't']", id="list of letters"),
            pytest.param("select char(118,97,117,108,116)", id="codes in a query"),
            pytest.param("'vau' || 'lt'", id="two halves in a query"),
        ],
    )
    def test_the_forms_of_an_argument_have_the_word_that_it_spells(
        self, argument: str
    ) -> None:
        """Each argument is `vault` in another notation, most of them with a code behind it."""
        assert any("vault" in form for form in forms_of(argument))

    @pytest.mark.parametrize(
        "piece",
        [
            pytest.param("_", id="underscores"),
            pytest.param("x ", id="single letters"),
            pytest.param(" ", id="blanks"),
            pytest.param("a_b ", id="names"),
            pytest.param("'", id="quotation marks"),
        ],
    )
    def test_making_the_forms_of_a_long_argument_is_linear_work(
        self, piece: str
    ) -> None:
        """An argument of twice as many pieces must not execute far more than twice as many
        lines."""

        def make_forms(piece_count: int) -> None:
            forms_of(piece * piece_count + "ab")

        assert_linear(make_forms, 1_000)


class TestPrintedArguments:
    """A program that prints an argument in another form proves nothing by it."""

    @pytest.mark.parametrize(
        "argument",
        [
            pytest.param("vault KX-4471", id="as it is"),
            pytest.param("dmF1bHQgS1gtNDQ3MQ==", id="base64"),
            pytest.param("7661756c74204b582d34343731", id="hexadecimal"),
            pytest.param("K X 4 4 7 1", id="single letters"),
        ],
    )
    @pytest.mark.parametrize(
        "printed",
        [
            pytest.param("The code is KX-4471.", id="in capitals"),
            pytest.param("the code: kx-4471", id="in small letters"),
        ],
    )
    def test_a_tool_that_prints_an_argument_in_another_form_proves_nothing(
        self, argument: str, printed: str
    ) -> None:
        """The script passes the code KX-4471 in some form, and the tool prints it in plain
        characters. Only "code" is the tool's own word."""
        calls = CallsOfTrial()

        calls.run("/bin/query", argument, stdout=printed)

        access = calls.access_to("/bin/query")
        assert access.holds("code")
        assert not access.holds("kx-4471")
