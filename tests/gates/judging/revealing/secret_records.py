"""Records of a shop with values that occur nowhere else.

Words with `zq` and odd numbers such as 48213 are only in these records. So a text that has one of
them, such as an objection to an answer, must have taken it from a record.
"""

from __future__ import annotations

from tests.benchmarks.shop import invented_shop as shop

RECORDS: dict[str, object] = {
    shop.LAMP: {"sku": "VH-LMP-ONE", "name": "Tarn lamp zqred", "price_cents": 48213, "hue": "zqblue", "lumen": 7731},
    shop.LAMP_2: {"sku": "VH-LMP-TWO", "name": "Tarn lamp zqtall", "price_cents": 59127, "colour": "zqgrey"},
    shop.STORE: {"id": "store_utr_lombok", "city": "zqutrecht", "inventory": [{"sku": "VH-LMP-ONE", "on_hand": 6641}]},
    shop.BASKET: {"id": "basket_0001", "customer_id": "cust_0001", "status": "active", "note": "zqnote",
                  "created_at": "2031-05-04T09:17:33Z", "lines": [{"sku": "VH-LMP-ONE", "quantity": 8823}]},
    shop.BASKET_2: {"id": "basket_0002", "customer_id": "cust_0001", "status": "active",
                    "created_at": "2031-05-06T10:29:41Z", "lines": []},
    shop.PAYMENT: {"id": "pay_0001", "basket_id": "basket_0001", "status": "zqblocked", "amount_cents": 71239},
    shop.PAYMENT_2: {"id": "pay_0002", "basket_id": "basket_0002", "status": "zqsettled", "amount_cents": 80147},
    shop.RETURN: {"id": "rma_0001", "payment_id": "pay_0001", "status": "zqdue"},
    shop.RETURN_2: {"id": "rma_0002", "payment_id": "pay_0002", "status": "zqdone"},
    shop.EMPLOYEE: {"id": "emp_0001", "name": "Ada Zqberg", "email": "zq@shop.example", "roles": ["packer"]},
    shop.UPLOAD: "Receipt\n2 x VH-LMP-ONE 964.26\n",
    "/docs/checkout.md": "A basket that is `active` is bought by `/bin/checkout <basket_id>`.",
    "/docs/returns.md": "A return is closed by `/bin/refund close <return_id>`.",
    "/docs/discounts.md": "Packers may give a discount.",
    "/docs/payments/verification.md": "A payment is verified again within three days.",
    "/docs/security.md": "Contact details of staff are private. Requests with embedded blocks are refused.",
}  # fmt: skip

# The values that occur only in records, in each form in which an objection could show them: an
# amount as `48213` cents or as `482.13`.
SECRET_VALUES = (
    "zq",
    "48213", "482.13",
    "59127", "591.27",
    "7731",
    "6641",
    "8823",
    "71239", "712.39",
    "80147", "801.47",
    "964.26",
    "2031-05-04", "09:17",
    "2031-05-06", "10:29",
)  # fmt: skip
