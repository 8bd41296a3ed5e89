"""A shop with a page on discounts, a basket with one product, and two employees.

    shop = discount_shop("emp-4", "employee", "pricing", cents=21_000)
    objection_to_run(shop, "discount", "basket-4", "12", "price_promise", "emp-4")  # ""

Only emp-4 has the role `pricing`, and may give discounts.
"""

from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from tests.benchmarks.shop.functions.customer_records import employee
from tests.benchmarks.shop.functions.goods_records import basket, branch, tarp
from tests.benchmarks.shop.functions.written_shop import written_shop

DISCOUNT_PAGE = """
The limit is 4 %. It rises to 12 % once the lines, at `price_cents` times quantity, reach EUR 210.00.

An employee with the role `pricing` runs `/bin/discount <basket_id> <percent> <reason_code> <issuer_id>`.

As `reason_code` stands one of `price_promise`, `worn_packaging`.
"""


def discount_shop(user: str, *roles: str, cents: int) -> EcomEnvironment:
    """Return the shop in which this user is signed in; basket-4 has one product of this price."""
    return written_shop(
        {
            "/docs/discounts.md": DISCOUNT_PAGE,
            "/proc/carts/basket-4.json": basket("basket-4", {"TARP-SAND": 1}),
            "/proc/catalogue/TARP-SAND.json": tarp("TARP-SAND", cents=cents),
            "/proc/branches/store-1.json": branch("store-1", "Graz", {"TARP-SAND": 7}),
            "/proc/staff/emp-4.json": employee("emp-4", roles=["employee", "pricing"]),
            "/proc/staff/emp-7.json": employee("emp-7", roles=["employee"]),
        },
        user=user,
        roles=roles,
    )
