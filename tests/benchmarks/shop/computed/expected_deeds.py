"""What a small shop expects of a request for a deed."""

from __future__ import annotations

from collections.abc import Mapping

from benchmarks.shop.computed.deeds import expected_of_deed
from benchmarks.shop.computed.expectation import Expectation
from gates import Case
from gates.reading import DoesNotApply
from gates.types import Evidence
from tests.benchmarks.shop.computed.small_shop import CUSTOMER, SmallShop

Changes = Mapping[str, Mapping[str, object] | None]


def expected(
    request: str,
    identity: str = CUSTOMER,
    records: Changes | None = None,
    evidence: Evidence | None = None,
    documents: Mapping[str, str] | None = None,
) -> Expectation | None:
    """Return what is expected of a request, None if that is not certain; `records` are changes of single fields."""
    evidence = evidence or Evidence(has_trace=True)
    shop = SmallShop(identity, records, documents)
    try:
        found = shop.asked(lambda seen: expected_of_deed(Case(request, "", ""), evidence, seen), evidence)
    except DoesNotApply:
        return None
    assert isinstance(found, Expectation)
    return found
