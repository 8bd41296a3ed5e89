"""The kinds of records that answers cite: baskets, payments, and so on, known by the name of the file.

    kind_of("/proc/carts/cust-1/basket-1.json")  # "basket"

Records are files about one thing. Pages are texts that state rules, and are no records.
"""

import re
from collections.abc import Mapping
from typing import Final

# Records are files about one thing, such as a basket. Pages are texts that state rules.
NO_RECORDS: Final = ("/bin/", "/docs/", "/AGENTS.MD")
"""The beginnings of the paths of tools and pages; all other paths are of records."""


RECORD_NAMES: Final[Mapping[str, str]] = {
    "basket": r"basket[-_]",
    "payment": r"pay[-_]",
    "return": r"ret(urn)?[-_]",
    "employee": r"emp[-_]",
    "store": r"store[-_]",
    "customer": r"cust[-_]",
}
"""How the file names of each kind of records begin. Those of products have no common form."""


def kind_of(path: str) -> str:
    """Return the kind of a cited record.

    `/proc/carts/cust-1/basket-1.json` -> `basket`
    `/uploads/receipt.txt`, `/storage/receipt.txt` -> `uploads`
    """
    if not path.startswith("/proc/"):
        first_folder = path.split("/")[1]
        if first_folder == "storage":
            return "uploads"  # Some worlds keep uploads in this folder.
        return first_folder
    name = path.rpartition("/")[2]
    for kind, pattern in RECORD_NAMES.items():
        if re.match(pattern, name):
            return kind
    return "product"
