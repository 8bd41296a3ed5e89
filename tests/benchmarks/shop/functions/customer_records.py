"""Records of people and payments in a shop that a test writes.

employee("emp-4", roles=["packer"])             # works at store-1
payment("payment-4")                            # 70 euros by the customer cust-7
returned_goods("return-4", status="approved")   # what payment-4 was for
"""

from typing import Any


def employee(employee_id: str, *, roles: list[str]) -> dict[str, Any]:
    """Return the record of a person who works at `store-1`.

    `employee("emp-4", roles=["packer"])` -> `{"id": "emp-4", "roles": ["packer"], ...}`
    """
    return {
        "id": employee_id,
        "display_name": f"Name of {employee_id}",
        "email": f"{employee_id}@shop.example",
        "store_id": "store-1",
        "roles": roles,
    }


def payment(payment_id: str, status: str = "paid") -> dict[str, Any]:
    """Return the record of a payment of 70 euros for `basket-1`, by `cust-7`.

    `payment("payment-4")` -> `{"id": "payment-4", "status": "paid", "amount_cents": 7000, ...}`
    """
    return {
        "id": payment_id,
        "basket_id": "basket-1",
        "customer_id": "cust-7",
        "store_id": "store-1",
        "amount_cents": 7000,
        "currency": "EUR",
        "status": status,
        "created_at": "2028-04-25T16:12:03Z",
    }


def returned_goods(return_id: str, status: str) -> dict[str, Any]:
    """Return the record of goods that `cust-7` has sent back, which `payment-4` was for.

    `returned_goods("return-4", status="approved")` -> `{"id": "return-4", ...}`
    """
    return {
        "id": return_id,
        "customer_id": "cust-7",
        "payment_id": "payment-4",
        "status": status,
        "reason_code": "wrong_size",
        "created_at": "2028-04-28T16:12:03Z",
    }
