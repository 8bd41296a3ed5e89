"""The kinds of records in a shop's workspace, and the ids that a request names."""

from __future__ import annotations

from enum import StrEnum
from functools import lru_cache
from typing import Final

import re2

from controlplane.gates.paths import base_name, split_fragment
from controlplane.gates.text_folding import encodable

# The kinds of records in a shop's workspace, and how a path shows the kind.
#
# `/proc/carts/basket_12.json` is a basket by its name. If a name has no known form, as in
# `/proc/carts/12.json`, the folder shows the kind.


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


def is_document(path: str) -> bool:
    """Return True for a page, such as `/docs/returns.md` or `/AGENTS.MD`, and not for a record."""
    return path.casefold().endswith(".md")


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


# The ids, product codes and folders that a request names.
#
# "Refund pay_7, and not ret_2" names the ids `pay_7` and `ret_2`. An answer has to cite the
# records with these ids, so they are found by their form.

_NAMED: Final = re2.compile(r"(?i)\b(?:basket|pay|payment|return|rma|ret)[-_]\d+\b")
"""`basket_12`, `PAY-0012`"""
_TEMPORARY: Final = re2.compile(
    r"(?:^|[^\pL\pN_/])(/tmp/[\pL\pN_./-]*[\pL\pN_])"  # but not `/var/tmp/a-3`
)
"""A path below `/tmp`, without the dot that ends a sentence: `/tmp/a-3`, `/tmp/scan/a.txt`."""


def temporary_paths(text: str) -> list[str]:
    """Return the paths below `/tmp` in a text, each once: "clean up /tmp/a-3." -> `["/tmp/a-3"]`."""
    return list(dict.fromkeys(_TEMPORARY.findall(encodable(text))))


def temporary_folders(text: str) -> list[str]:
    """Return those of the paths below `/tmp` in a text that are no files, such as `/tmp/a.txt`."""
    return [path for path in temporary_paths(text) if "." not in base_name(path)]


def temporary_folder(text: str) -> str:
    """Return the only temporary folder in a text.

    The result is empty if the text has no path below `/tmp`, several, or that of a file.
    """
    paths = temporary_paths(text)
    return paths[0] if len(paths) == 1 and temporary_folders(text) else ""


@lru_cache(maxsize=64)
def named_ids(text: str) -> tuple[str, ...]:
    """Return the ids of baskets, payments and returns in a text, each once.

    "Refund PAY-7, and not ret_2" -> `("pay-7", "ret_2")`, in lower case as in records
    """
    return tuple(
        dict.fromkeys(name.lower() for name in _NAMED.findall(encodable(text)))
    )


_CODE: Final = r"[A-Z0-9]+(?:-[A-Z0-9]+)+"
CODES: Final = re2.compile(_CODE)
"""Codes of products, such as `VH-TNT-2P`, and words of the same form."""
_THE_CODE: Final = rf"(?:the\s+)?{_CODE}"
"""`AB-1`, `the AB-1`"""
_NOT_ONE: Final = rf"\b(?:not|never|ignore|skip)\s+{_THE_CODE}"
"""`not the AB-1`"""
_ONE_NOT_WANTED: Final = rf"n['’]t (?:mean|want)\s+{_THE_CODE}"
"""`I don't want the AB-1`"""
_ALL_BUT: Final = (
    r"\b(?:any(?:thing)? but|except(?: for)?|excluding|besides|other than|without|leav(?:e|ing) out|apart from)"
    rf"\s+{_THE_CODE}(?:(?:,| and| or)\s+{_CODE})*"
)
"""`anything but AB-1, AB-2 and AB-3`"""
_EXCLUDED: Final = re2.compile(f"{_NOT_ONE}|{_ONE_NOT_WANTED}|{_ALL_BUT}")
"""Words that exclude products, with the codes of these."""


def excluded_codes(text: str) -> frozenset[str]:
    """Return the product codes that a request excludes: `any but AB-1` -> `AB-1`.

    `all but AB-1 and AB-2` excludes two, and `not AB-1 and AB-2` only AB-1: it asks for AB-2.
    Codes are in capitals, so `not re-sealed` excludes nothing.
    """
    codes: set[str] = set()
    for match in _EXCLUDED.finditer(encodable(text)):
        codes.update(CODES.findall(match[0]))
    return frozenset(codes)
