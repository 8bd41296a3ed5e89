"""An argument of a tool is recognised in every form in which the tool may show it again.

A script could hand `&#118;ault` or base64 to a tool, which shows the word `vault`. To know that the word
is the script's own, what the script passes is decoded, joined and unescaped in advance:
`forms_of("&#118;ault")` has `vault` among others.
"""

import pytest

from controlplane.agent.evidence.texts.forms import forms_of
from tests.support.executed_work import assert_linear


@pytest.mark.parametrize(
    "argument",
    [
        pytest.param("vault KX-4471", id="as it is"),
        pytest.param(r"vault \u004bX-4471", id="escapes of JSON"),
        pytest.param(r"\x76ault KX-4471", id="escapes of Python"),
        pytest.param("&#118;ault KX-4471", id="escapes of HTML"),
        pytest.param("%76ault%20KX-4471", id="escapes of a URL"),
        pytest.param("dmF1bHQgS1gtNDQ3MQ==", id="base64"),
        pytest.param("dmF1bHQ-Pj4=", id="base64 for URLs"),  # `vault>>>`, with - for +
        pytest.param("7661756c74204b582d34343731", id="hexadecimal"),
        pytest.param("v a u l t", id="single letters"),
        pytest.param("['v', 'a', 'u', 'l', 't']", id="list of letters"),
        pytest.param("select char(118,97,117,108,116)", id="codes in a query"),
        pytest.param("'vau' || 'lt'", id="two halves in a query"),
    ],
)
def test_the_forms_of_an_argument_have_the_word_that_it_spells(argument: str) -> None:
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
def test_making_the_forms_of_a_long_argument_is_linear_work(piece: str) -> None:
    """An argument of twice as many pieces must not execute far more than twice as many
    lines."""

    def make_forms(piece_count: int) -> None:
        forms_of(piece * piece_count + "ab")

    assert_linear(make_forms, 1_000)
