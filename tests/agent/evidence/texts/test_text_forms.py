"""A text is recognised in every form in which a tool may show it again.

A script could hand `&#118;ault` or base64 to a tool, which shows the word `vault`. To know that
the word is the script's own, what the script passes is decoded, joined and unescaped in advance.
"""

from __future__ import annotations

import base64
import time

import pytest

from controlplane.agent.evidence.texts.text_forms import forms_of
from tests.gates.sample_trials import CallsOfTrial

WORDS = "vault KX-4471"


@pytest.mark.parametrize(
    "argument",
    [
        pytest.param(WORDS, id="as it is"),
        pytest.param(r"vault \u004bX-4471", id="escapes of JSON"),
        pytest.param(r"\x76ault KX-4471", id="escapes of Python"),
        pytest.param("&#118;ault KX-4471", id="escapes of HTML"),
        pytest.param("%76ault%20KX-4471", id="escapes of a URL"),
        pytest.param(base64.b64encode(WORDS.encode()).decode(), id="base64"),
        pytest.param(
            base64.urlsafe_b64encode(WORDS.encode()).decode(), id="base64 for URLs"
        ),
        pytest.param(WORDS.encode().hex(), id="hexadecimal"),
        pytest.param("v a u l t", id="single letters"),
        pytest.param("['v', 'a', 'u', 'l', 't']", id="list of letters"),
        pytest.param("select char(118,97,117,108,116)", id="codes in a query"),
        pytest.param("'vau' || 'lt'", id="two halves in a query"),
    ],
)
def test_the_forms_of_an_argument_have_the_word_that_it_spells(argument: str) -> None:
    """Each argument is `vault` in another notation."""
    assert any("vault" in form for form in forms_of(argument))


@pytest.mark.parametrize(
    "argument",
    [
        pytest.param("_" * 60_000 + "ab", id="underscores"),
        pytest.param("x " * 300_000, id="single letters"),
        pytest.param(" " * 100_000, id="blanks"),
        pytest.param("a_b " * 50_000, id="names"),
        pytest.param("'" * 90_000, id="quotation marks"),
    ],
)
def test_the_forms_of_a_long_argument_are_made_in_bounded_time(argument: str) -> None:
    """Each argument is one piece that is repeated many times."""
    started = time.process_time()
    forms_of(argument)

    assert time.process_time() - started < 3


@pytest.mark.parametrize(
    "argument",
    [
        pytest.param(WORDS, id="as it is"),
        pytest.param(base64.b64encode(WORDS.encode()).decode(), id="base64"),
        pytest.param(WORDS.encode().hex(), id="hexadecimal"),
        pytest.param("K X 4 4 7 1", id="single letters"),
    ],
)
@pytest.mark.parametrize("printed", ["The code is KX-4471.", "the code: kx-4471"])
def test_a_tool_that_prints_an_argument_in_another_form_proves_nothing(
    argument: str, printed: str
) -> None:
    """The script passes the code KX-4471 in some form, and the tool prints it in plain
    characters."""
    calls = CallsOfTrial()

    calls.run("/bin/query", argument, stdout=printed)

    access = calls.access_to("/bin/query")
    assert access.holds("code")  # the tool's own word
    assert not access.holds("kx-4471")
