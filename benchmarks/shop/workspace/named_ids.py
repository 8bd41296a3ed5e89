"""The ids, product codes and folders that a request names.

"Refund pay_7, and not ret_2" names the ids `pay_7` and `ret_2`. An answer has to cite the
records with these ids, so they are found by their form.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import re2

from controlplane.gates.paths import base_name
from controlplane.gates.surrogates import encodable

_NAMED: Final = re2.compile(r"(?i)\b(?:basket|pay|payment|return|rma|ret)[-_]\d+\b")
"""`basket_12`, `PAY-0012`"""
_TEMPORARY: Final = re2.compile(r"/tmp/[\pL\pN_./-]*[\pL\pN_]")
"""A path below `/tmp`, without the dot that ends a sentence: `/tmp/a-3`, `/tmp/scan/a.txt`."""


def temporary_folder(text: str) -> str:
    """Return the only temporary folder in a text: "clean up /tmp/a-3." -> `/tmp/a-3`.

    The result is empty if the text has no path below `/tmp`, several, or that of a file.
    """
    paths = {path.rstrip(".") for path in _TEMPORARY.findall(encodable(text))}
    if len(paths) != 1:
        return ""
    path = paths.pop()
    is_file = "." in base_name(path)
    return "" if is_file else path


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
