"""Reads scanned papers, archived exports and dispatch waves."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from difflib import SequenceMatcher
from typing import Any

LETTERS = str.maketrans("OoIlSsB", "0011558")
SLIP_LINE = re.compile(r"\[\d+\]  (\S+)  (.*?)\s+(\d+\.\d\d)\s+(\S+)$")
OWN_CHANNELS = {"web", "mobile_app", "customer_terminal"}


def nearest(text: str, names: Iterable[str]) -> str:
    """Return the name that is most like a scanned text, whatever was misread."""

    def likeness(name: str) -> float:
        left, right = (re.sub(r"\W", "", each).lower().translate(LETTERS).lower() for each in (text, name))
        return SequenceMatcher(None, left, right, autojunk=False).ratio()

    return max(names, key=likeness)


@dataclass(frozen=True)
class Slip:
    """A receipt: its branch, its lines (product name and quantity), its subtotal in cents."""

    branch: str
    lines: tuple[tuple[str, int], ...]
    subtotal: int


def read_slip(text: str, branches: Iterable[str], products: Iterable[str], brands: Mapping[str, str]) -> Slip:
    """Return a receipt; `brands` gives the brand of each product's name."""
    rows = text.splitlines()
    branch = next(row.split(":", 1)[1] for row in rows if re.match(r"(?i)store\s*:", row))
    found, names = [], list(products)
    for at, row in enumerate(rows):
        if match := SLIP_LINE.match(row):
            name = match[2]
            if at + 1 < len(rows) and rows[at + 1].startswith("        "):
                name += rows[at + 1][8:]
            doubled = [*names, *(f"{brands[each]} {each}" for each in names)]
            known = nearest(name, doubled)
            known = known if known in names else known.removeprefix(f"{brands_of(known, brands)} ")
            found.append((known, int(match[1].translate(LETTERS))))
    net = next(row for row in rows if row.startswith("Manual subtotal"))
    euros = re.search(r"(\d+)\.(\d\d)", net)
    assert euros
    return Slip(nearest(branch, branches), tuple(found), int(euros[1]) * 100 + int(euros[2]))


def brands_of(doubled: str, brands: Mapping[str, str]) -> str:
    return next(brand for name, brand in brands.items() if doubled == f"{brand} {name}")


@dataclass(frozen=True)
class Asked:
    """One line of a competitor's request."""

    code: str
    count: int
    name: str
    specs: tuple[tuple[str, str], ...]


def read_request(text: str, names: Iterable[str]) -> Iterator[Asked]:
    """Yield the lines of a purchase request; its names are whole but for case and breaks."""
    known = {re.sub(r"\s", "", name).casefold(): name for name in names}
    rows = [row for row in text.splitlines() if not row.strip().startswith("note:")]
    starts = [at for at, row in enumerate(rows) if re.match(r"\d+\s+\d+\s+CMP-", row)]
    for at, start in enumerate(starts):
        end = starts[at + 1] if at + 1 < len(starts) else len(rows)
        kept = [
            row
            for row in rows[start:end]
            if row.startswith((" ", rows[start][:3])) and re.search(r"[a-z0-9]", row, re.I)
        ]
        joined = " ".join(" ".join(kept).split())
        head, _, specs = re.split(r"(?i)\b(specs:)", joined, maxsplit=1)
        match = re.match(r"\d+ (\d+) (CMP-\w+) (.*)", head)
        assert match
        name = known[re.sub(r"\s", "", match[3]).casefold()]
        parts = [part.strip().split("=", 1) for part in specs.split(";")]
        yield Asked(
            match[2], int(match[1]), name, tuple((key.strip().lower().replace(" ", "_"), value) for key, value in parts)
        )


def fraud_in(text: str) -> list[Mapping[str, str]]:
    """Return the rows of an export in runs: of one customer in several cities, or of one device for several people."""
    header, *lines = [line.split("\t") for line in text.splitlines() if line]
    rows = [dict(zip(header, line, strict=False)) for line in lines]
    own = [row for row in rows if row.get("archive_channel") in OWN_CHANNELS]
    guilty = set()
    for actor, place in (("customer_ref", "store_city"), ("device_fingerprint", "customer_ref")):
        for name in {row[actor] for row in own}:
            theirs = sorted((row for row in own if row[actor] == name), key=lambda row: row["created_at"])
            for run in _runs(theirs):
                if len(run) >= 3 and len({row[place] for row in run}) >= 3:
                    guilty |= {row["row_id"] for row in run}
    return [row for row in rows if row.get("row_id") in guilty]


def _runs(rows: list[dict[str, str]]) -> Iterator[list[dict[str, str]]]:
    """Yield the payments that follow one another within three quarters of an hour."""
    run: list[dict[str, str]] = []
    for row in rows:
        gap = timedelta(0)
        if run:
            gap = datetime.fromisoformat(row["created_at"]) - datetime.fromisoformat(run[-1]["created_at"])
        if gap > timedelta(minutes=45):
            yield run
            run = []
        run.append(row)
    if run:
        yield run


def plan_of(packages: str, lanes: str) -> str:
    """Return a plan as JSON: each package takes the way that costs least, lateness included as far as hints tell."""

    def table(text: str) -> list[dict[str, str]]:
        header, *lines = [line.split("\t") for line in text.splitlines() if line]
        return [dict(zip(header, line, strict=True)) for line in lines]

    rows = table(lanes)
    chances = {"unlikely": 0.1, "often": 0.22, "likely": 0.35}
    lengths = {"short": 2.0, "medium": 3.0, "long": 6.5}

    def delay(lane: Mapping[str, str]) -> float:
        often = next(chance for word, chance in chances.items() if f"delays {word}" in lane["delay_hint"])
        return often * next(length for word, length in lengths.items() if word in lane["delay_hint"])

    def ways(place: str, end: str, passed: tuple[str, ...] = ()) -> Iterator[list[dict[str, str]]]:
        if place == end:
            yield []
        elif len(passed) < 4:
            for lane in rows:
                if lane["from"] == place and lane["to"] not in (*passed, place):
                    yield from ([lane, *rest] for rest in ways(lane["to"], end, (*passed, place)))

    def cost(way: list[dict[str, str]], due: int) -> float:
        time = sum(int(lane["eta"]) for lane in way)
        late = sum(delay(lane) for lane in way) if due - time < 5 else 0.25 * sum(delay(lane) for lane in way)
        return sum(int(lane["cost_cents"]) for lane in way) + 650 * (max(time - due, 0) + late)

    found = []
    for package in table(packages):
        due = int(package["due_time"])
        best = min(ways(package["from_store_id"], package["to_store_id"]), key=lambda way: cost(way, due))
        slack = due - sum(int(lane["eta"]) for lane in best)
        found.append((slack, package["package_id"], [lane["lane_id"] for lane in best]))
    assignments: list[dict[str, Any]] = [
        {"package_id": name, "route": route, "priority": at}
        for at, (_, name, route) in enumerate(sorted(found), start=1)
    ]
    return json.dumps({"assignments": assignments})
