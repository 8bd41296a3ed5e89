"""Gate 3: each citation has a reason, a text of at least 8 characters.

A script submits `refs_why = {"/docs/Loans.md": "a loan runs 21 days"}`. For the reason "rules" the
gate objects "under 8 characters".
"""

from __future__ import annotations

import pytest

from tests.gates.checks.citations.citing_trial import objection_to_form


@pytest.mark.parametrize(
    ("refs", "fault"),
    [
        pytest.param(["/docs/Loans.md"], "a map of paths to reasons", id="a list"),
        pytest.param("/docs/Loans.md", "a map of paths to reasons", id="a text"),
        pytest.param({"/docs/Loans.md": "rules"}, "under 8 characters", id="short"),
        pytest.param(
            {"/docs/Loans.md": "   rules   "}, "under 8 characters", id="short, padded"
        ),
        pytest.param({"/docs/Loans.md": 21}, "the number `21`", id="a number"),
        pytest.param({"/docs/Loans.md": None}, "`None`", id="None"),
        # JSON cannot hold an object, so it is copied as None before it is judged.
        pytest.param(
            {"/docs/Loans.md": object()},
            "is `None`: say in words",
            id="an object, which JSON cannot hold",
        ),
    ],
)
def test_citations_without_reasons_of_8_characters_are_rejected(
    refs: object, fault: str
) -> None:
    assert fault in objection_to_form(refs)
