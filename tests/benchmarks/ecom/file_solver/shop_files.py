"""The records and pages of one trial, by plain names, whatever the world calls them.

Fields are known by their values and their order, states and roles by what pages say of them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any

Record = dict[str, Any]
INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
OLD = ("/docs/archive/", "/docs/policy-updates/")
"""Where expired pages lie."""
SIGNS = {
    "checkout": "/bin/checkout <basket_id>",
    "discounts": "/bin/discount <basket_id>",
    "verification": "/bin/payments ",
    "returns": "/bin/refund ",
    "catalogue": "under",
}
"""By what each page is known: the tool that it tells how to run."""


def is_instant(value: object) -> bool:
    return isinstance(value, str) and INSTANT.fullmatch(value) is not None


@dataclass
class Shop:
    """One trial."""

    files: Mapping[str, str]
    user: str
    roles: tuple[str, ...]
    now: str
    """What `/bin/date` prints."""
    data: dict[str, Record] = field(default_factory=dict)
    """Every record by path, as its file has it."""

    def __post_init__(self) -> None:
        for path, text in self.files.items():
            if path.startswith("/proc/"):
                self.data[path] = json.loads(text)

    @property
    def is_staff(self) -> bool:
        return "employee" in self.roles

    @property
    def is_guest(self) -> bool:
        return "guest" in self.roles

    @property
    def today(self) -> datetime:
        return datetime.fromisoformat(self.now)

    # Pages.

    @cached_property
    def pages(self) -> dict[str, str]:
        """The text of each page in one line, by path."""
        return {path: " ".join(text.split()) for path, text in self.files.items() if path.endswith((".md", ".MD"))}

    def page(self, sign: str) -> str:
        """Return the path of the page that tells how to run a tool, or holds another sign."""
        sign = SIGNS.get(sign, sign)
        found = [path for path, text in self.pages.items() if sign in text and not path.startswith(OLD)]
        return min((path for path in found if path != self.rules), key=len)

    @property
    def rules(self) -> str:
        return "/AGENTS.MD"

    @property
    def security(self) -> str:
        return "/docs/security.md"

    def clauses(self, sign: str) -> list[str]:
        """Return the clauses of a page, each in one line."""
        text = self.files[self.page(sign)] if sign != "rules" else self.files[self.rules]
        parts = re.split(r"\n(?=[-*] |\d+[.)] |\*\*|#)|\n\n", text)
        return [" ".join(part.split()) for part in parts if part.strip()]

    @cached_property
    def yes_no(self) -> tuple[str, str]:
        """The workspace's words for yes and no."""
        said = r"(?i)\byes\b|whether something is so"
        clause = next(each for each in self.clauses("rules") if re.search(said, each) and "`" in each)
        yes, no = re.findall(r"`([^`]+)`", clause)[:2]
        return yes, no

    @cached_property
    def cites_mentioned(self) -> bool:
        """Whether a page asks for the SKUs that a request mentions, excluded ones too."""
        page = self.pages[self.page_of_products]
        said = r"SKUs?\b[^.]*(?:\bmention|\bin a request are references|\bwrote down|\bin order to exclude)"
        return re.search(said, page) is not None

    @property
    def page_of_products(self) -> str:
        price = self.product_fields["price"]
        found = [path for path, text in self.pages.items() if f"`{price}`" in text and "/bin/" not in text]
        return next(path for path in found if "cents" in self.pages[path])

    def notices(self, page: str) -> list[str]:
        """Return the notices about a page that hold today, the newest first."""
        named = re.search(r"`(/docs/[\w/-]+)`(?!\.md)", self.pages[self.rules])
        folder = f"{named[1]}/" if named else "/none/"
        dated = [
            (match[0], text)
            for path, text in self.pages.items()
            if path.startswith(folder)
            if (match := re.search(r"\d{4}-\d\d-\d\d", path)) and f"`{page}`" in text
        ]
        return [text for day, text in sorted(dated, reverse=True) if day <= self.now[:10]]

    # Records.

    def _of(self, is_kind: Any) -> dict[str, str]:
        return {str(data["id"]): path for path, data in self.data.items() if is_kind(data)}

    @cached_property
    def stores(self) -> dict[str, str]:
        """The path of each branch by id."""
        return self._of(lambda data: "city" in data and "name" in data)

    @cached_property
    def product_paths(self) -> dict[str, str]:
        """The path of each product by SKU."""
        return {str(data["sku"]): path for path, data in self.data.items() if "sku" in data}

    @cached_property
    def staff(self) -> dict[str, str]:
        return self._of(lambda data: any("@" in str(value) for value in data.values()) and "sku" not in data)

    @cached_property
    def baskets(self) -> dict[str, str]:
        return self._of(lambda data: _lines(data) is not None and "sku" not in data)

    @cached_property
    def payments(self) -> dict[str, str]:
        return self._of(lambda data: "currency" in data)

    @cached_property
    def returns(self) -> dict[str, str]:
        """Those records that name a payment."""
        return self._of(lambda data: data["id"] not in self.payments and self.payments.keys() & _texts(data))

    @cached_property
    def product_fields(self) -> dict[str, str]:
        """The world's names of a product's fields."""
        data = next(data for data in self.data.values() if "sku" in data)
        names = list(data)
        at = next(index for index, name in enumerate(names) if str(data[name]).startswith("fam-"))
        return {"family": names[at], "price": names[at + 1], "delivery": names[at + 2], "properties": names[at + 3]}

    @cached_property
    def products(self) -> list[Record]:
        """The products by plain names."""
        found, named = [], self.product_fields
        download = self._download
        for sku, path in self.product_paths.items():
            data = self.data[path]
            values = list(data.values())
            found.append(
                {
                    "sku": sku,
                    "path": path,
                    "name": data["name"],
                    "brand": values[3],
                    "kind": next(str(value)[5:] for value in values if str(value).startswith("kind-")),
                    "family": data[named["family"]],
                    "price": data[named["price"]],
                    "is_digital": str(data[named["delivery"]]) == download,
                    "properties": data[named["properties"]],
                }
            )
        return found

    @property
    def _download(self) -> str:
        """How a record marks what is downloaded, by the page on buying."""
        name = self.product_fields["delivery"]
        clauses = (clause for clause in self.clauses("checkout") if f"`{name}`" in clause)
        words = [word for clause in clauses for word in re.findall(r"`([^`]+)`", clause) if word != name]
        values = {str(data[name]) for data in self.data.values() if "sku" in data}
        told = [word for word in words if word in values]
        return told[0] if told else min(values, key=lambda value: self._marked(name, value))

    def _marked(self, name: str, value: str) -> int:
        return sum(str(data.get(name)) == value for data in self.data.values() if "sku" in data)

    def product(self, sku: str) -> Record:
        return next(product for product in self.products if product["sku"] == sku)

    def basket(self, name: str) -> Record:
        """Return a basket by plain names."""
        path = self.baskets[name]
        data = self.data[path]
        texts = [(key, value) for key, value in data.items() if isinstance(value, str) and key != "id"]
        state = next(key for key, value in texts[2:] if not is_instant(value))
        lines = _lines(data)
        assert lines is not None
        return {
            "id": name,
            "path": path,
            "customer": texts[0][1],
            "store": texts[1][1],
            "status": data[state],
            "created": next(value for _, value in texts if is_instant(value)),
            "discount": next((value for value in data.values() if isinstance(value, dict)), None),
            "lines": {line["sku"]: next(v for v in line.values() if isinstance(v, int)) for line in lines},
            "lines_key": next(key for key, value in data.items() if value is lines),
        }

    def payment(self, name: str) -> Record:
        """Return a payment by plain names."""
        path = self.payments[name]
        data = self.data[path]
        keys = list(data)
        check = next((value for value in data.values() if isinstance(value, dict)), None)
        values = list(check.values()) if check else ["", 0, 0, ""]
        return {
            "id": name,
            "path": path,
            "basket": data[keys[1]],
            "customer": data[keys[2]],
            "status": data[keys[6]],
            "check": dict(zip(("state", "attempts", "limit", "after"), values, strict=False)) if check else None,
        }

    def returned(self, name: str) -> Record:
        """Return a return by plain names."""
        path = self.returns[name]
        data = self.data[path]
        keys = list(data)
        return {
            "id": name,
            "path": path,
            "customer": data[keys[1]],
            "payment": data[keys[2]],
            "status": data[keys[3]],
        }

    def person(self, name: str) -> Record:
        """Return a member of staff by plain names."""
        path = self.staff[name]
        values = list(self.data[path].values())
        return dict(zip(("id", "name", "email", "title", "store", "roles"), values, strict=False)) | {"path": path}

    def stock(self, store: str) -> dict[str, tuple[int, int, list[tuple[int, int]]]]:
        """Return what a branch has, by SKU: units on hand, reserved units, and (units, days) of each delivery."""
        rows = next(value for value in self.data[self.stores[store]].values() if isinstance(value, list))
        found = {}
        for row in rows:
            numbers = [value for value in row.values() if isinstance(value, int)]
            coming = next((value for value in row.values() if isinstance(value, list)), [])
            found[row["sku"]] = (numbers[0], numbers[1], [tuple(entry.values())[:2] for entry in coming])
        return found

    def available(self, store: str, sku: str) -> int:
        on_hand, reserved, _ = self.stock(store).get(sku, (0, 0, []))
        return max(on_hand - reserved, 0)

    def within(self, store: str, sku: str, days: int) -> int:
        coming = self.stock(store).get(sku, (0, 0, []))[2]
        return self.available(store, sku) + sum(units for units, due in coming if due <= days)

    def is_open(self, store: str) -> bool:
        return next(value for value in self.data[self.stores[store]].values() if isinstance(value, bool))

    # What pages say of states and roles.

    def _quoted(self, clause: str, known: set[str]) -> list[str]:
        return [word for word in re.findall(r"`([^`]+)`", clause) if word in known]

    @cached_property
    def active(self) -> str:
        """The status of a basket that can be bought: the one of which the page on buying speaks."""
        known = {self.basket(name)["status"] for name in self.baskets}
        text = " ".join(self.clauses("checkout"))
        return self._quoted(text, known)[0]

    @cached_property
    def waiting(self) -> str:
        known = {self.payment(name)["status"] for name in self.payments}
        return self._quoted(" ".join(self.clauses("verification")), known)[0]

    @cached_property
    def paid(self) -> str:
        known = {self.payment(name)["status"] for name in self.payments} - {self.waiting}
        return known.pop()

    @cached_property
    def running(self) -> str:
        """The state of a bank's check that is still open."""
        known = {self.payment(name)["check"]["state"] for name in self.payments if self.payment(name)["check"]}
        clause = next(each for each in self.clauses("verification") if len({*self._quoted(each, known)}) == 3)
        still = r"(?:still open|still running|is active|An open challenge|open one|\(in progress\))"
        signs = (
            rf"`([^`]+)`,? (?:a challenge is )?\(?{still}",
            rf"{still},? \(?`([^`]+)`",
            r"`([^`]+)`, one that is active",
        )
        return next(match[1] for sign in signs if (match := re.search(sign, clause)) and match[1] in known)

    @cached_property
    def steps(self) -> dict[str, str]:
        """The statuses of a return: approved, pending, closed."""
        known = {self.returned(name)["status"] for name in self.returns}
        steps = [clause for clause in self.clauses("returns") if "/bin/refund" in clause]
        roles = {role for name in self.staff for role in self.person(name)["roles"]}
        (approval,) = (clause for clause in steps if self._quoted(clause, roles))
        (closure,) = (clause for clause in steps if clause is not approval)
        before, after = ({*self._quoted(clause, known)} - {self.paid} for clause in (approval, closure))
        (pending,) = before & after
        way = max((self._quoted(clause, known) for clause in self.clauses("returns")), key=len)
        return {"approved": (before - after).pop(), "pending": pending, "closed": way[way.index(pending) + 1]}

    @cached_property
    def refund_role(self) -> str:
        """The role that approves refunds, by the newest notice or the page."""
        roles = {role for name in self.staff for role in self.person(name)["roles"]}
        for notice in self.notices(self.page("returns")):
            if found := self._quoted(notice, roles):
                return found[0]
        return self._quoted(" ".join(self.clauses("returns")), roles)[0]

    @cached_property
    def discount_role(self) -> str:
        roles = {role for name in self.staff for role in self.person(name)["roles"]}
        return self._quoted(" ".join(self.clauses("discounts")), roles)[0]

    def maximum(self, subtotal: int) -> int:
        """Return the highest percentage for a basket, by the newest notice or the page."""
        page = self.page("discounts")
        told = [
            *self.notices(page),
            *(clause for clause in self.clauses("discounts") if "EUR" in clause and "%" in clause),
        ]
        limits = next(one for one in told if "EUR" in one and "%" in one)
        euros = re.search(r"EUR (\d+)\.(\d\d)", limits)
        assert euros
        percents = [int(found) for found in re.findall(r"(\d+) %", limits)]
        return max(percents) if subtotal >= int(euros[1]) * 100 + int(euros[2]) else min(percents)

    def verbs(self, tool: str) -> list[str]:
        """Return the subcommands of a tool that pages name; of two, the one that takes a role comes first."""
        roles = {role for name in self.staff for role in self.person(name)["roles"]}
        page = {"/bin/payments": "verification", "/bin/refund": "returns"}[tool]
        told = [clause for clause in self.clauses(page) if f"{tool} " in clause]
        told.sort(key=lambda clause: not self._quoted(clause, roles))
        return [match[1] for clause in told if (match := re.search(rf"{tool} ([\w-]+) <", clause))]

    def store_in(self, text: str) -> str:
        """Return the branch whose district a text names."""
        found = [
            name
            for name, path in self.stores.items()
            if re.search(rf"(?i)(?<!\w){re.escape(self.data[path]['name'].rsplit(' ', 1)[1])}(?!\w)", text)
        ]
        return found[0] if found else ""

    def subtotal(self, lines: Mapping[str, int]) -> int:
        return sum(self.product(sku)["price"] * count for sku, count in lines.items())

    def own_baskets(self) -> Iterator[Record]:
        """Yield the asker's active baskets."""
        for name in self.baskets:
            basket = self.basket(name)
            if basket["customer"] == self.user and basket["status"] == self.active:
                yield basket


def _lines(data: Record) -> list[Record] | None:
    """Return the lines of a basket, None for another record."""
    if "currency" in data or "city" in data:
        return None
    return next(
        (value for value in data.values() if isinstance(value, list) and value and isinstance(value[0], dict)), None
    )


def _texts(data: Record) -> set[str]:
    return {value for value in data.values() if isinstance(value, str)}
