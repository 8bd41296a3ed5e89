"""Arguments of calls that spell characters or numbers which Python cannot convert.

To recognise a script's own words in a result, an argument is brought into each form in which a
tool may return it: `&#65;` also as `A`. Escapes may stand for half a character (a lone
surrogate), which UTF-8 cannot encode, and numbers may have thousands of digits.
"""

from __future__ import annotations

import pytest

from controlplane.agent.evidence.texts.forms.text_forms import forms_of
from controlplane.gates.values.written_values import written_values

LONG_NUMBER = "9" * 5_000
"""More digits than Python converts to an integer by default."""


@pytest.mark.parametrize(
    "argument",
    [
        pytest.param("55296 55297 55298", id="codes of surrogates"),
        pytest.param("\\ud800 \\udc00", id="escapes of JSON"),
        pytest.param("&#55296;&#xdfff;", id="escapes of HTML"),
        pytest.param("%ed%a0%80", id="escapes of a URL"),
        pytest.param("a\ud800b", id="a surrogate itself"),
    ],
)
def test_every_form_of_an_argument_can_be_encoded(argument: str) -> None:
    """Otherwise it could not be written into the journal."""
    for form in forms_of(argument):
        form.encode()  # raises for a lone surrogate


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(LONG_NUMBER, id="number"),
        pytest.param(f"{LONG_NUMBER}.5 kg", id="decimal number with a unit"),
        pytest.param(f"{LONG_NUMBER}/{LONG_NUMBER}", id="fraction"),
        pytest.param(f"{LONG_NUMBER}:{LONG_NUMBER}", id="time of day"),
        pytest.param(f"2024-{LONG_NUMBER}-01", id="date"),
        pytest.param(f"12:30:{LONG_NUMBER}", id="seconds"),
        pytest.param(f"{LONG_NUMBER} h {LONG_NUMBER} min", id="duration"),
        pytest.param(f"1e{LONG_NUMBER}", id="exponent"),
        pytest.param(f"May {LONG_NUMBER}, 2024", id="day of a month"),
        pytest.param("\u0663" * 5_000, id="Arabic digits"),
        pytest.param("\u4e00" * 5_000, id="Chinese numerals"),
    ],
)
def test_numbers_of_any_length_are_read_without_an_exception(text: str) -> None:
    """Otherwise, a script could stop its trial by a long number. Both functions read the numbers of
    arguments, and this test fails if one of them raises an error."""
    written_values(text)
    forms_of(text)
