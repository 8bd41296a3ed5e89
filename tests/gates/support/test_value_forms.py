"""An answer may round or convert what a file states; the text beside the value says so.

the file    weight: 6.545 kg
the answer  It weighs 6.5 kg.       /a.md:1 (rounded from 6.545)
"""

from __future__ import annotations

from controlplane.gates.support.sources import Source
from controlplane.gates.support.support_texts import Mark, support_text
from controlplane.gates.support.value_support import ValueMarker


def only_mark(answer: str, text: str) -> Mark:
    """Return the mark of an answer with one value, after a trial that read `text` in `/a.md`."""
    (mark,) = ValueMarker([Source("/a.md", text)]).marks(answer)
    return mark


def test_a_rounded_value_says_what_it_is_rounded_from() -> None:
    mark = only_mark("It weighs 6.5 kg.", text="weight: 6.545 kg of 12.5 kg")

    assert support_text(mark) == "/a.md:1 (rounded from 6.545)"


def test_a_converted_value_says_what_the_file_states() -> None:
    mark = only_mark("It is rated 3.45 MW.", text="rated 3450 kW")

    assert support_text(mark) == "/a.md:1 (3450 kW)"


def test_an_unverified_value_names_the_nearest_one_and_its_place() -> None:
    """The user may see that the answer should have said 9:00."""
    mark = only_mark("The shop closes at 17:00.", text="x\nThe shop opens at 9:00.")

    assert support_text(mark) == "unverified; nearest: 9:00, /a.md:2"
