"""Arguments of calls that spell half a character, or a number of thousands of digits.

A tool may return an argument in another form: `&#65;` as `A`. `forms_of("&#65;")` returns them all, and
a script must not be able to make it fail.
"""

import pytest

from controlplane.agent.evidence.texts.forms.text_forms import forms_of


@pytest.mark.parametrize(
    ("argument", "form"),
    [
        pytest.param("55296 55297 55298", "???", id="codes of characters"),
        pytest.param("\\ud800 \\udc00", "? ?", id="escapes of JSON"),
        pytest.param("&#55296;&#xdfff;", "\ufffd\ufffd", id="escapes of HTML"),
        pytest.param("%ed%a0%80", "\ufffd\ufffd\ufffd", id="escapes of a URL"),
        pytest.param("a\ud800b", "a?b", id="half a character itself"),
    ],
)
def test_half_a_character_is_replaced_in_every_form(argument: str, form: str) -> None:
    """U+D800 to U+DFFF, here also 55296 to 55298, are halves of characters (surrogates). UTF-8 has
    none alone, so the journal could not be written with them."""
    forms = forms_of(argument)

    assert form in forms
    for each_form in forms:
        each_form.encode("utf-8")  # raises for a surrogate


@pytest.mark.parametrize(
    "pattern",
    [
        pytest.param("{}", id="number"),
        pytest.param("{}.5 kg", id="decimal number with a unit"),
        pytest.param("{0}/{0}", id="fraction"),
        pytest.param("{0}:{0}", id="time of day"),
        pytest.param("2024-{}-01", id="date"),
        pytest.param("12:30:{}", id="seconds"),
        pytest.param("{0} h {0} min", id="duration"),
        pytest.param("1e{}", id="exponent"),
        pytest.param("May {}, 2024", id="day of a month"),
    ],
)
def test_a_number_of_any_length_has_no_other_form(pattern: str) -> None:
    """Python converts a text of up to 4,300 digits to an integer, and raises an error for more."""
    argument = pattern.format("9" * 5_000)

    assert forms_of(argument) == [argument]


@pytest.mark.parametrize(
    "digit",
    [
        pytest.param("\u0663", id="Arabic three"),
        pytest.param("\u4e00", id="Chinese one"),
    ],
)
def test_a_long_number_in_other_digits_has_only_the_forms_of_json(digit: str) -> None:
    argument = digit * 5_000

    escaped = f"\\u{ord(digit):04x}" * 5_000  # \u0663\u0663...
    assert forms_of(argument) == [argument, f'"{escaped}"', f'"{argument}"']
