"""Baskets and persons that a generated request of the shop names.

"Give 12 % on basket-7. Tilda Hauser has approved it." names `basket-7` and Tilda Hauser.
"""

import re

RECORD_ID = re.compile(r"\b[a-z]+[-_]\d+\b")
"""Finds the id of a record, such as `basket_012`."""


def basket_id_in(text: str) -> str:
    """Return the first id of a basket in a request, or ""."""
    for record_id in RECORD_ID.findall(text):
        if record_id.startswith(("basket", "cart")):
            return str(record_id)
    return ""


PERSON = re.compile(r"\b([A-Z]\w+ [A-Z]\w+)\b")
"""Finds first and last name, such as `Tilda Hauser`."""


def person_in(text: str) -> str:
    """Return the first person that a request names, such as "Tilda Hauser", or ""."""
    match = PERSON.search(text)
    return match[1] if match else ""
