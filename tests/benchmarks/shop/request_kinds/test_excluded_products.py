"""A request excludes products by their codes: "a lamp, any but AB-CD-1".

`excluded_codes` returns the codes of the products that the customer does not want.
"""

import pytest

from controlplane.benchmarks.shop.workspace.named_ids import excluded_codes


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("a lamp, any but AB-CD-1", {"AB-CD-1"}),
        ("a lamp (I don't mean AB-CD-1)", {"AB-CD-1"}),
        ("all except AB-CD-1, AB-CD-2 and AB-CD-3", {"AB-CD-1", "AB-CD-2", "AB-CD-3"}),
        ("AB-CD-2, not AB-CD-1 and AB-CD-3", {"AB-CD-1"}),
        ("leave out AB-CD-1", {"AB-CD-1"}),
        ("is AB-CD-1 not in stock?", set()),
    ],
)
def test_a_request_excludes_products_by_their_codes(text: str, codes: set[str]) -> None:
    assert excluded_codes(text) == codes
