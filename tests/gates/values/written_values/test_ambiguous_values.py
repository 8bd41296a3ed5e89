"""A value that can be read in two ways has both readings, unless the text around it decides.

`1.199 kg` is 1199 kg in a German text, and 1.199 kg in an English one. `canonical` is the first
reading, `other_canonical` the second; it is empty if the text leaves only one.
"""

from __future__ import annotations

import pytest

from controlplane.gates.values.spans import Kind
from controlplane.gates.values.written_values import written_values
from tests.gates.values.written_values.single_values import only_value


@pytest.mark.parametrize(
    ("text", "first_reading", "other_reading"),
    [
        pytest.param("1.199 kg", "1199", "1.199", id="mark of thousands or decimals"),
        pytest.param(
            "03/04/2026", "2026-04-03", "2026-03-04", id="day or month comes first"
        ),
    ],
)
def test_an_ambiguous_value_has_both_readings(
    text: str, first_reading: str, other_reading: str
) -> None:
    """There is no sign of the language in either text."""
    value = only_value(text)

    assert value.canonical == first_reading
    assert value.other_canonical == other_reading


@pytest.mark.parametrize(
    ("text", "reading"),
    [
        pytest.param("1.199 kg statt 3,5 kg", "1199", id="beside a decimal comma"),
        pytest.param("1.199 kg, not 3.5 kg", "1.199", id="beside a decimal point"),
        pytest.param('{"weight": 1.199}', "1.199", id="in JSON"),
        pytest.param(
            "Der Wagen ist 1.199 kg schwer und die Waage ist neu",
            "1199",
            id="in German",
        ),
    ],
)
def test_other_numbers_and_the_language_of_a_text_decide_between_readings(
    text: str, reading: str
) -> None:
    weight, *_ = written_values(text, kinds=[Kind.NUMBER])

    assert weight.canonical == reading
    assert weight.other_canonical == ""
