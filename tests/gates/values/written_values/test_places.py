"""A value keeps its text, and the offsets where it stands in the text around it.

The 12 of "It costs 12 EUR." stands at the offsets 9 to 11. The answer of an agent is shown with a
footnote behind each value, so the place has to be exact.
"""

from __future__ import annotations

from controlplane.gates.values.spans import Kind
from controlplane.gates.values.written_values import written_values


def test_offsets_fit_the_text_as_it_was_passed() -> None:
    """Values are read in a normalized copy, in which this text is longer or shorter: the
    zero-width blank `\u200b` is left out, and `㎡` becomes `m2`. The offsets are those in the
    text itself."""
    text = "Es kostet\u200b １２ ㎡ à 3½\u00a0€ (e\u0301)."

    area, price = written_values(text)

    assert area.text == "１２"
    assert text[area.start : area.end] == "１２"
    assert price.text == "3½"
    assert text[price.start : price.end] == "3½"


def test_a_citation_mark_may_stand_between_number_and_unit() -> None:
    """Answers are shown with footnotes such as `[4]`, which are not part of a value."""
    duration, *_ = written_values("It takes 3 [4] hours.")

    assert duration.kind == Kind.NUMBER
    assert duration.canonical == "3"
    assert duration.unit == "h"


def test_a_number_behind_a_key_with_a_measure_keeps_its_text_and_offsets() -> None:
    """The key `below_20_kg` is read as an id and also as the weight 20 kg. The value that
    follows it has its own text and offsets nevertheless."""
    text = "below_20_kg: 185.00 EUR"

    *_, price = written_values(text)

    assert price.canonical == "185"
    assert price.unit == "EUR"
    assert price.text == "185.00"
    assert text[price.start : price.end] == "185.00"
