import pytest

from tests.toolkit.sample_records import CLERK, CUSTOMER, GUEST, sample_records
from toolkit.answers import ReferenceCase, excluded_codes, final_references

RED, BLUE = "/proc/goods/TOOL-RED-100-AA.json", "/proc/goods/TOOL-BLU-100-AA.json"
ORDER, OTHERS = "/proc/orders/order-01.json", "/proc/orders/order-04.json"


def kind_of(path):
    return {"orders": "basket", "goods": "product", "pay": "payment"}.get(path.split("/")[2], "")


def refs(records, asker=CUSTOMER, outcome="OK", **more):
    return final_references(
        ReferenceCase(outcome, ("/docs/rules.md",), records, sample_records(), asker, kind_of, **more)
    )[1:]


@pytest.mark.parametrize(
    ("records", "more", "cited"),
    [
        ((ORDER,), {}, [ORDER]),
        ((ORDER, "/proc/none.json"), {}, [ORDER]),
        ((), {"text": "What of order-01?"}, [ORDER]),
        ((), {"text": "What of order-04?"}, []),
        ((), {"text": "How many lines has order-01?", "task_type": "count"}, []),
        ((), {"message": "It is TOOL-RED-100-AA."}, [RED]),
        ((), {"text": "Stock of TOOL-RED-100-AA, not TOOL-BLU-100-AA?", "task_type": "stock_lookup"}, [RED]),
        ((RED, BLUE), {"text": "without TOOL-BLU-100-AA"}, [RED]),
        ((RED,), {"task_type": "product", "message": "No."}, []),
        ((RED,), {"task_type": "product", "message": "Yes."}, [RED]),
        ((ORDER, "/proc/orders/order-02.json"), {"message": "It is order-02."}, ["/proc/orders/order-02.json"]),
        (("/proc/back/ret-01.json",), {"task_type": "refund"}, ["/proc/back/ret-01.json", "/proc/pay/pay-07.json"]),
    ],
)
def test_an_answer_cites_what_it_is_about(records, more, cited):
    assert refs(records, **more) == cited


@pytest.mark.parametrize(
    ("asker", "more"),
    [(CUSTOMER, {"is_protected": True}), (GUEST, {}), (CUSTOMER, {"message": "It is another customer's."})],
)
def test_a_refusal_that_protects_cites_policies_alone(asker, more):
    assert refs((ORDER,), asker, "DENIED", **more) == []


def test_a_refusal_of_a_foreign_record_cites_none_of_it():
    assert refs((OTHERS,), CUSTOMER, "DENIED") == []
    assert refs((OTHERS,), CLERK, "DENIED") == [OTHERS]


@pytest.mark.parametrize(
    "path", ["/proc/people/w-2.json", "/proc/people/W-2.json", "/proc/w-2", "/proc/people/w-2.json#x"]
)
def test_a_branch_is_cited_to_customers_in_place_of_a_person(path):
    assert refs((path,)) == ["/proc/shops/s-2.json"]
    assert refs((path,), CLERK)[0].startswith("/proc/people/w-2.json")


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
def test_a_request_rules_products_out(text, codes):
    assert excluded_codes(text) == codes
