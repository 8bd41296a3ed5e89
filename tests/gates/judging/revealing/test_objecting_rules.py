"""The trials that are drawn at random to test objections are of use: many rules object to them.

There are rules for answers about purchases, refunds, counts and other requests. If always the same
one objected, the words of the others would not be tested.
"""

from __future__ import annotations

from tests.gates.judging.revealing.drawn_objections import (
    drawn_objections,
    in_each_batch,
)


@in_each_batch
def test_many_rules_object_to_the_drawn_trials(first_seed: int, heavy: bool) -> None:
    objecting_rules: set[str] = set()
    for objection in drawn_objections(first_seed, heavy):
        objecting_rules.add(objection.verdict.key)

    assert len(objecting_rules) > 10
