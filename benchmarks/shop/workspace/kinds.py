"""The kinds of records in a shop's workspace, and how a path shows the kind.

`/proc/carts/basket_12.json` is a basket by its name. If a name has no known form, as in
`/proc/carts/12.json`, the folder shows the kind.
"""

from __future__ import annotations

from enum import StrEnum
from functools import lru_cache
from typing import Final

import re2

from controlplane.gates.paths import base_name, split_fragment
from controlplane.gates.surrogates import encodable


class Kind(StrEnum):
    """A kind of record. Its value is the word in function results, answers and messages."""

    PRODUCT = "product"
    BRANCH = "branch"
    BASKET = "basket"
    PAYMENT = "payment"
    RETURN = "return"
    EMPLOYEE = "employee"
    UPLOAD = "upload"

    @property
    def record(self) -> str:
        """The term for such a file in messages: `basket record`."""
        return "uploaded file" if self is Kind.UPLOAD else f"{self} record"


RECORD_KINDS: Final = tuple(kind for kind in Kind if kind is not Kind.UPLOAD)
"""The kinds of a workspace's records. An uploaded file is cited like one, but is not JSON."""
OWNED: Final = (Kind.BASKET, Kind.PAYMENT, Kind.RETURN)
"""The kinds of records that belong to a customer. Tools change them."""


def _folder(*names: str) -> re2._Regexp:
    """Return a pattern of the paths below folders of `/proc`. All records are in `/proc`."""
    return re2.compile(f"(?i)^/proc/(?:{'|'.join(names)})/")


_ANY_PARENT: Final = "(?:[^/]+/)?"
"""A folder between `/proc` and the one of the kind, if there is one: `checkout/`."""
_FOLDERS_OF_KINDS: Final = {
    Kind.UPLOAD: re2.compile(r"(?i)^/(?:uploads?|storage)/"),
    Kind.PAYMENT: _folder(
        f"{_ANY_PARENT}payments?(?:-[a-z]+)?",  # `payments`, `payments-archive`
        f"{_ANY_PARENT}ledger",
        f"{_ANY_PARENT}settlements",
    ),
    Kind.RETURN: _folder("returns?(?:-[a-z]+)?"),
    Kind.PRODUCT: _folder(
        "catalog(?:ue)?", "products?", "prod", "assortment", "articles"
    ),
    Kind.BRANCH: _folder("locations", "stores", "branches", "outlets"),
    Kind.BASKET: _folder("carts", "baskets", "orders"),
    Kind.EMPLOYEE: _folder("staff", "employees"),
}
"""The folders of each kind. Each shop uses one of these names: `/proc/carts/`."""


def _file_name(*prefixes: str) -> re2._Regexp:
    """Return a pattern of file names that begin with a word and a separator: `basket_12.json`."""
    return re2.compile(f"(?i)(?:{'|'.join(prefixes)})[-_]")


_FILE_NAMES_OF_KINDS: Final = {
    Kind.BASKET: _file_name("basket", "cart"),
    Kind.PAYMENT: _file_name("pay", "payment"),
    Kind.RETURN: _file_name("return", "rma", "ret"),
    Kind.EMPLOYEE: _file_name("emp", "employee"),
    Kind.BRANCH: _file_name("store", "branch"),
    # The name is the product's code: `VH-TNT-2P.json`.
    Kind.PRODUCT: re2.compile(r"[A-Z]{2,4}-[A-Z0-9]{3}[A-Z0-9-]*\."),
}
"""The patterns of the beginnings of file names, by kind."""


@lru_cache(maxsize=4_096)
def kind_of(path: str) -> Kind | None:
    """Return the kind of the record at a path; None for documents, tools and all other paths.

    Use this function only if nothing but the path is known, as in a citation.
    `KnownKinds.of` is better: it looks at the content of records.
    """
    # 1. The record's name decides, whatever its folder: `/proc/x/basket_12.json` is a basket.
    if path.startswith("/proc/"):
        name = encodable(base_name(split_fragment(path)[0]))
        for kind, beginning in _FILE_NAMES_OF_KINDS.items():
            if beginning.match(name):
                return kind

    # 2. If the name has no known form, the folder decides.
    for kind, folder in _FOLDERS_OF_KINDS.items():
        if folder.match(encodable(path)):
            return kind
    return None
