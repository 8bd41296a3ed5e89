"""A record that is not shown whole says which function reads the rest.

The environment may return only the beginning of a record. Or the first message may have too little room
for it: the setting `ranked_chars` limits the characters of all records together. Here, the environment
declares a function `read_all(path)`, which returns whole files.
"""

from collections.abc import Mapping
from dataclasses import replace

from controlplane.sandbox.interface import Operation, Parameter, Plain, ResultField
from tests.agent.loop.initial_prompt.opened_trial import OpenedTrial
from tests.agent.loop.initial_prompt.prompt_shop import SHOP_SCHEMA, Shop

READ_ALL = Operation(
    name="read_all",
    parameters=(Parameter("path", "str"),),
    fields=(ResultField("value"),),
    summary="all of a file",
)

SCHEMA = replace(SHOP_SCHEMA, operations=(*SHOP_SCHEMA.operations, READ_ALL))


class ShopThatCutsCarts(Shop):
    """An environment that says of the record of cart-1 that only its beginning was read."""

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        result = super().call(operation, arguments)
        if operation == "read" and arguments["path"] == "/data/carts/cart-1.json":
            result["truncated"] = True
        return result


def test_a_record_that_the_environment_cut_names_the_function_that_reads_on() -> None:
    files = {
        "/RULES.md": "Carts.\n",
        "/data/carts/cart-1.json": '{"id": "cart-1", "items": [',
    }

    trial = OpenedTrial("Check cart-1.", ShopThatCutsCarts(SCHEMA, files=files))

    _, _, text_from_cart = trial.message.partition("read /data/carts/cart-1.json")
    assert "It goes on: read_all(path)" in text_from_cart


def test_a_record_without_room_names_the_function_that_reads_on() -> None:
    """The cart takes a part of the 600 characters. The record of the employee has more than 500."""
    files = {
        "/RULES.md": "Carts.\n",
        "/data/carts/cart-1.json": '{"id": "cart-1", "owner": "cust-1"}',
        "/data/staff/emp-5.json": '{"id": "emp-5", "note": "' + "n" * 500 + '"}',
    }
    shop = Shop(replace(SCHEMA, ranked_chars=600), files=files)

    trial = OpenedTrial("Check cart-1, emp-5.", shop)

    _, _, text_from_employee = trial.message.partition("read /data/staff/emp-5.json")
    assert "more characters: read_all(path)" in text_from_employee
