"""Values of an answer may stand in the name of a file, or in the question of the user.

A mark says where a value of an answer was found. "March 2026" is supported by a listing with
`/reports/2026-03.csv`, and a value of the question is `given`, unless a cited file states it.
"""

from __future__ import annotations

import pytest

from controlplane.gates.support.sources import Source
from controlplane.gates.support.support_texts import unverified_in
from controlplane.gates.support.value_support import ValueMarker


def test_the_name_of_a_file_supports_its_month_but_no_day_and_no_amount() -> None:
    """The trial has seen the file in a listing, and has read nothing."""
    marker = ValueMarker(sources=[], names="/reports/2026-03.csv")

    marks = marker.marks("In March 2026 it was 12 March 2026, at 20.26 EUR.")

    assert unverified_in(marks) == ["12 March 2026", "20.26"]


@pytest.mark.parametrize(
    ("cited_path", "support"),
    [
        pytest.param("/rules.md", "given", id="another file is cited"),
        pytest.param("/old.md", "found", id="the file that states it is cited"),
    ],
)
def test_a_value_of_the_question_is_found_only_in_a_cited_file(
    cited_path: str, support: str
) -> None:
    """The question states the 470 EUR, and so does a file that the trial has read."""
    sources = [
        Source("/old.md", "The fee was 470 EUR in 2019.\n"),
        Source("/rules.md", "A loan runs 21 days.\n"),
    ]
    marker = ValueMarker(sources, "Was the fee 470 EUR?", cited=frozenset({cited_path}))

    (mark,) = marker.marks("The fee was 470 EUR.")

    assert mark.support == support
