"""The first message to a model shows the documents that fit the request and are in force.

A document may say at its top from when until when it is: `valid_from: 2031-06-01`. The trials here begin
on 2031-05-10 at 23:30 UTC.
"""

import pytest

from tests.agent.loop.initial_prompt.dates.trial_in_may import open_on_may_10


@pytest.mark.parametrize(
    ("field", "is_shown"),
    [
        ("valid_from: 2031-06-01", False),
        ("valid_until: 2031-05-01", False),
        ("valid_until: 2031-05-10", True),  # until the end of today
        # since 23:00 UTC today
        ("valid_from: 2031-05-11T00:00:00+01:00", True),
    ],
)
def test_a_document_is_shown_only_while_it_is_in_force(
    field: str, is_shown: bool
) -> None:
    files = {
        "/RULES.md": "Carts: /docs/carts.md.\n",
        "/docs/carts.md": f"---\n{field}\n---\nCarts are free.",
    }

    trial = open_on_may_10("How is a cart checked out?", files)

    assert ("read /docs/carts.md" in trial.message) == is_shown
