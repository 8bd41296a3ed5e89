"""A customer is shown only the own records in the first message, and staff all of them.

A record belongs to the customer in its field `owner`. The program `/bin/id` prints who asks.
"""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from controlplane.sandbox.interface import Plain, RecordOwners
from tests.agent.loop.initial_prompt.opened_trial import OpenedTrial
from tests.agent.loop.initial_prompt.prompt_shop import SHOP_SCHEMA, Shop


class ShopOfUser(Shop):
    """A shop with a cart of the customer cust-1, where the user `user` asks."""

    def __init__(self, user: str, roles: str) -> None:
        owners = RecordOwners(("owner",), "/bin/id", own_only=("customer",))
        files = {
            "/RULES.md": "Carts.\n",
            "/data/carts/cart-1.json": '{"id": "cart-1", "owner": "cust-1"}',
        }
        super().__init__(replace(SHOP_SCHEMA, record_owners=owners), files=files)
        self.user_and_roles = f"user: {user}\nroles: {roles}\n"

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        if operation == "exec":  # /bin/id
            return {"stdout": self.user_and_roles, "stderr": "", "exit_code": 0}
        return super().call(operation, arguments)


@pytest.mark.parametrize("roles", ["customer", ""])
def test_a_record_of_somebody_else_is_not_shown_in_advance(roles: str) -> None:
    trial = OpenedTrial("Check out cart-1.", ShopOfUser("cust-2", roles))

    assert '"owner": "cust-1"' not in trial.message
    assert "cart-1.json (it belongs to somebody else)" in trial.message


def test_a_record_of_somebody_else_is_shown_to_staff() -> None:
    """A clerk sees all records, even one who is also a customer."""
    trial = OpenedTrial("Check out cart-1.", ShopOfUser("cust-2", "customer, clerk"))

    assert '"owner": "cust-1"' in trial.message
    assert "it belongs to somebody else" not in trial.message


@pytest.mark.parametrize("roles", ["customer", "", "customer, clerk"])
def test_the_user_s_own_record_is_shown(roles: str) -> None:
    trial = OpenedTrial("Check out cart-1.", ShopOfUser("cust-1", roles))

    assert '"owner": "cust-1"' in trial.message
