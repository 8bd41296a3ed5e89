"""An argument that spells half a character, or thousands of digits, must not make `forms_of` fail.

A tool may show an argument in another form. `forms_of("&#65;")` returns all forms: `&#65;` and `A`. The
argument itself is the first one.

U+D800 to U+DFFF (55296 to 57343) are halves of characters. UTF-8 has none alone, so the journal could
not be written with one.
"""

import pytest

from controlplane.agent.evidence.texts.forms import forms_of


@pytest.mark.parametrize(
    ("argument", "form"),
    [
        # `?` stands for each half, or U+FFFD where the standard of the notation wants this.
        pytest.param("55296 55297 55298", "???", id="codes of characters"),
        pytest.param("\\ud800 \\udc00", "? ?", id="escapes of JSON"),
        pytest.param("&#55296;&#xdfff;", "\ufffd\ufffd", id="escapes of HTML"),
        pytest.param("%ed%a0%80", "\ufffd\ufffd\ufffd", id="escapes of a URL"),
        pytest.param("a\ud800b", "a?b", id="half a character itself"),
    ],
)
def test_half_a_character_is_replaced_in_every_form(argument: str, form: str) -> None:
    forms = forms_of(argument)

    assert form in forms
    for each_form in forms:
        each_form.encode("utf-8")  # Raises for half a character.


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
def test_a_number_of_thousands_of_digits_has_only_its_own_form(pattern: str) -> None:
    """Other spellings of a number need its value, but Python reads no more than 4,300 digits."""
    argument = pattern.format("9" * 5_000)

    assert forms_of(argument) == [argument]


@pytest.mark.parametrize(
    "digit",
    [
        pytest.param("\u0663", id="Arabic three"),
        pytest.param("\u4e00", id="Chinese one"),
    ],
)
def test_a_long_number_in_other_digits_has_no_form_but_those_of_json(
    digit: str,
) -> None:
    """Python would read these digits as a number, too. JSON may escape them."""
    argument = digit * 5_000

    escape = f"\\u{ord(digit):04x}"  # \u0663
    escaped_json = '"' + escape * 5_000 + '"'
    plain_json = f'"{argument}"'
    assert forms_of(argument) == [argument, escaped_json, plain_json]
