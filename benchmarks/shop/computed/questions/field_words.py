"""Which fields and folders of the workspace's records a question names in its own words."""

from __future__ import annotations

from typing import Final

from benchmarks.shop.computed.shop_workspace import ShopWorkspace
from benchmarks.shop.computed.subjects import words_of
from benchmarks.shop.language.record_kinds import Kind, kind_of, kind_of_id

_CODE: Final = "sku"
"""The field that holds what a product's file is called."""
_OPEN: Final = "is_open"


def names_code(text: str) -> bool:
    """Say whether a text names the field that holds a product's code, and nothing that a customer owns."""
    asked = words_of(text)
    return _CODE in asked and not any(kind_of_id(f"{each}-1") in (Kind.BASKET, Kind.PAYMENT) for each in asked)


def names_open_branches(text: str, shop: ShopWorkspace) -> bool:
    """Say whether a text names a folder of branches and the field that says whether one is open, and no figure."""
    asked = words_of(text)
    if not any(kind_of(f"/proc/{each}/1.json") is Kind.STORE for each in asked) or any(map(str.isdigit, asked)):
        return False
    field = shop.stores[0].names.get(_OPEN, _OPEN)
    return set(asked).issuperset(field.removeprefix("is_").split("_"))
