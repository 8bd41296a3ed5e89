"""The kinds of record in a shop's workspace, told by path, and the ids that a text names."""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import StrEnum
from functools import lru_cache
from typing import Final

from gates.paths import base_name, split_fragment


class Kind(StrEnum):
    """A kind of record; the value is its name in messages."""

    PRODUCT = "product record"
    STORE = "branch record"
    BASKET = "basket record"
    PAYMENT = "payment record"
    RETURN = "return record"
    EMPLOYEE = "employee record"
    UPLOAD = "uploaded file"


_FOLDERS: Final = (
    (Kind.UPLOAD, re.compile(r"^/(?:uploads?|storage)/", re.IGNORECASE)),
    (Kind.PAYMENT, re.compile(r"^/proc/(?:[^/]+/)?(?:payments?(?:-[a-z]+)?|ledger|settlements)/", re.IGNORECASE)),
    (Kind.RETURN, re.compile(r"^/proc/returns?(?:-[a-z]+)?/", re.IGNORECASE)),
    (Kind.PRODUCT, re.compile(r"^/proc/(?:catalog(?:ue)?|products?|prod|assortment|articles)/", re.IGNORECASE)),
    (Kind.STORE, re.compile(r"^/proc/(?:locations|stores|branches|outlets)/", re.IGNORECASE)),
    (Kind.BASKET, re.compile(r"^/proc/(?:carts|baskets|orders)/", re.IGNORECASE)),
    (Kind.EMPLOYEE, re.compile(r"^/proc/(?:staff|employees)/", re.IGNORECASE)),
)
_NAMES: Final = (
    (Kind.BASKET, re.compile(r"(?:basket|cart)[-_]", re.IGNORECASE)),
    (Kind.PAYMENT, re.compile(r"pay(?:ment)?[-_]", re.IGNORECASE)),
    (Kind.RETURN, re.compile(r"(?:return|rma|ret)[-_]", re.IGNORECASE)),
    (Kind.EMPLOYEE, re.compile(r"emp(?:loyee)?[-_]", re.IGNORECASE)),
    (Kind.STORE, re.compile(r"(?:store|branch)[-_]", re.IGNORECASE)),
    (Kind.PRODUCT, re.compile(r"[A-Z]{2,4}-[A-Z0-9]{3}[A-Z0-9-]*\.")),
)
_NAMED: Final = re.compile(r"\b(?:basket|pay|payment|return|rma|ret)[-_]\d+\b", re.IGNORECASE)
_SKU: Final = re.compile(r"\b(?!DD-|MM-)[A-Z]{2,3}-[A-Z0-9]+(?:-[A-Z0-9]+)+\b")
_TEMPORARY: Final = re.compile(r"/tmp/[\w./-]*\w")
_RULED_OUT: Final = re.compile(rf"\b(?i:not|except(?: for)?|excluding|besides|other than|without)\s+({_SKU.pattern})")


@lru_cache(maxsize=4_096)
def kind_of(path: str) -> Kind | None:
    """Return the kind of record at `path`; None for documents, tools and everything else.

    The form of the id decides, whatever the folders are called; if the id has another form, the folder decides.
    """
    name = base_name(split_fragment(path)[0]) if path.startswith("/proc/") else ""
    named = next((kind for kind, beginning in _NAMES if beginning.match(name)), None)
    return named or next((kind for kind, folder in _FOLDERS if folder.match(path)), None)


def kind_of_id(name: str) -> Kind | None:
    """Return the kind of record that an id names; None for customers, documents and everything else."""
    return next((kind for kind, beginning in _NAMES if beginning.match(f"{name}.")), None)


def records_of_kind(kind: Kind, paths: Iterable[str]) -> list[str]:
    """Return the distinct records of `kind` among `paths`, without fragments."""
    return list(_by_kind(tuple(paths)).get(kind, ()))


@lru_cache(maxsize=8)
def _by_kind(paths: tuple[str, ...]) -> dict[Kind | None, dict[str, None]]:
    """Sort the citations of an answer once for all rules."""
    found: dict[Kind | None, dict[str, None]] = {}
    for path in paths:
        found.setdefault(kind_of(path), {})[split_fragment(path)[0]] = None
    return found


def id_of(path: str) -> str:
    """Return the id of a record: its file name without the extension."""
    return base_name(split_fragment(path)[0]).rpartition(".")[0]


def temporary_folder(text: str) -> str:
    """Return the one directory of temporary files that `text` names, or an empty string for none or several."""
    found = {each.rstrip(".") for each in _TEMPORARY.findall(text)}
    only = found.pop() if len(found) == 1 else ""
    return "" if "." in base_name(only) else only


def named_ids(text: str) -> list[str]:
    """Return the ids of baskets, payments and returns that `text` names, in lower case as records have them."""
    return list(_named_ids(text))


@lru_cache(maxsize=64)
def _named_ids(text: str) -> tuple[str, ...]:
    """Look once for each request, because every rule asks."""
    return tuple(dict.fromkeys(found.lower() for found in _NAMED.findall(text)))


def skus_in(text: str) -> list[str]:
    """Return the SKUs that `text` names."""
    return list(dict.fromkeys(_SKU.findall(text)))


def skus_ruled_out(text: str) -> list[str]:
    """Return the SKUs that `text` rules out: "but not …", "except …"."""
    return list(dict.fromkeys(_RULED_OUT.findall(text)))
