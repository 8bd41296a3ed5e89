"""Expert tasks, solved a second time from the files of their worlds alone; and that no function solves one at once."""

import json
import re
from collections import Counter
from datetime import date, datetime, timedelta

import pytest

from benchmarks.ecom.runtime.shop_environment import EcomEnvironment
from benchmarks.ecom.tasks.generation import FAMILIES, generate_task, task_ids
from benchmarks.ecom.tasks.task import Task
from benchmarks.ecom.world.generator import MOST_CALLS, WorldSettings
from sandbox.interface import CallError
from tests.benchmarks.ecom.reference_solutions import generate_variant

DAY = re.compile(r"\d{4}-\d\d-\d\d")
UNITS = {"lb": 453.592, "oz": 28.3495, "g": 1, "kg": 1000}
KINDS = (
    ("discounted", "discount"),
    ("limit", "allowance"),
    ("status", "given up|status|open for buying"),
    ("closed", "closed|not open|trade|shut"),
    ("large", "heavier|weighs|lighter"),
    ("short", "line"),
)
MISREAD = ("book", "above", "own")
RULES = (
    *("clock", "period", "void", "until", "withdrawn", "exact", "order", "sequence", "pieces", "rank", "minimum"),
    *("books", "heir", "cut", "late", "units", *MISREAD, "half"),
)
NAMES = ("own", "random", "public")


class Files:
    """What a trial's files say."""

    def __init__(self, task: Task) -> None:
        self.files, self.names = dict(task.world.workspace().files), task.truth.names
        self.clock = task.world.clock
        self.roots, self.user, self.request = task.world.layout.roots, task.world.user, task.instruction
        self.notices = sorted(path for path in self.files if re.match(r"\d{4}-\d\d-\d\d-", path.rsplit("/", 1)[1]))

    def record(self, root: str, name: str) -> dict:
        path = next(each for each in self.files if each.startswith(f"{root}/") and each.endswith(f"/{name}.json"))
        return self.names.in_code_names(json.loads(self.files[path]))

    def records(self, root: str) -> list[dict]:
        return [self.record(root, path.rsplit("/", 1)[1][:-5]) for path in self.files if path.startswith(f"{root}/")]

    def notice(self, subject: str) -> tuple[date, str]:
        """Return the day and the text of the notice on a subject."""
        (path,) = (path for path in self.notices if path.endswith(f"-{subject}.md"))
        return date.fromisoformat(DAY.search(path)[0]), re.sub(r"`[^`]*\.md`", "", self.files[path].split("\n\n", 1)[1])

    def book(self, said: str, end: datetime | None = None, missed: str = "") -> list[tuple[datetime, tuple, str]]:
        """Return what the day book's lines say by two patterns, before an instant of the shops' clocks, in order."""
        (text,) = (text for path, text in self.files.items() if re.search(r"/day-book-\d+\.md$", path))
        lines, day = list[tuple[datetime, str, str]](), ""
        for line in text.splitlines():
            day = line.removeprefix("## ") if line.startswith("## ") else day
            if entry := re.match(r"- (\d\d:\d\d) (\w\w): (.*)", line):
                lines.append((datetime.fromisoformat(f"{day} {entry[1]}"), entry[2], entry[3]))
        lines = [line for line in lines if (end is None or line[0] < end) and missed != "book"]
        about, absent = dict[int, int](), set[int]()
        for at, (_, by, words) in enumerate(lines):
            if "directly above" in words or (missed == "own" and re.search(r"\bmy l", words)):
                about[at] = at - 1
            elif re.search(r"\bmy l", words):
                about[at] = max(before for before in range(at) if lines[before][1] == by)
            elif named := re.search(r"(?:line of|entry from|wrote at) (\S+ \d\d:\d\d)\b", words):
                about[at] = [str(moment)[:16] for moment, _, _ in lines].index(named[1])
            while missed == "above" and about.get(at) in about:
                about[at] = about[about[at]]
        for at in reversed(about):
            if re.search("taken back|forget|cancel", lines[at][2]) and at not in absent:
                absent.add(about[at])

        def content(at: int) -> tuple[str, str]:
            """Return place and amount of a line, each empty if it does not say it, as later lines have it."""
            words = re.sub(r"(?:line of|entry from|wrote at) \S+ \d\d:\d\d\b", "", lines[at][2])
            place = match[0] if (match := re.search(said.partition("|||")[0], words)) else ""
            amount = match[0] if (match := re.search(said.partition("|||")[2], words.replace(place, ""))) else ""
            for later in range(at + 1, len(lines)):
                if about.get(later) == at and later not in absent:
                    changed = content(later)
                    place, amount = changed[0] or place, changed[1] or amount
            return place, amount

        return [
            (lines[at][0], content(at), lines[at][2]) for at in range(len(lines)) if {at}.isdisjoint({*about} | absent)
        ]

    def terms(self) -> tuple[int, bool, bool, date]:
        """Return the hours of the shops' clocks, whether `until` and allowances include their ends, and the holiday."""
        (text,) = (text for path, text in self.files.items() if re.search(r"/terms-\d+\.md$", path))
        is_in = re.search("on that day, too|the rule holds is that day", text) is not None
        is_at = re.search("up to the last|used in full, that", text) is not None
        hours, (since, turned) = int(re.search(r"(\d) h ", text)[1]), self.notice("terms")
        if since <= (self.clock + timedelta(hours=hours)).date():
            is_in, is_at = (not is_in, is_at) if "until" in turned else (is_in, not is_at)
        return hours, is_in, is_at, date.fromisoformat(DAY.search(text, text.index("Sundays and"))[0])


def several(files: Files, missed: str = "") -> tuple[str, list[str]]:
    """Return the codes of the baskets in a request, and the ids of what the answer cites; `missed` names a rule."""
    hours, until_in, exact_in, holiday = files.terms()
    shift = timedelta(hours=0 if missed == "clock" else hours)
    today, one_day = (files.clock + shift).date(), timedelta(days=1)
    wanted = re.findall(r"\b\w+[-_]\d{3,4}\b", files.request)
    percents = [int(number) for number in re.findall(r"(\d+) ?(?:%|per)", files.request)]
    texts = files.notice("order")[1], files.notice("allowance")[1]
    (start, other), (withdrawn_on, withdrawn) = files.notice("other"), files.notice("withdrawal")
    limits = {key: int(most) for key, most in re.findall(r"`([\w ]+)` (\d+)", texts[1])}
    keys = re.findall("|".join(limits), files.request) if percents else []
    if percents:
        keys = [key for key in re.findall(r"[a-z]\w+", files.request) if key in limits]
    end = date.fromisoformat(DAY.findall(other)[-1])
    if start <= today and (today < end or (today == end and (until_in or missed == "until"))):
        most = int(re.search(r"(?:has|read) (\d+) ", other)[1])
        kept = re.search(r"`([\w ]+)`", withdrawn)[1] if withdrawn_on <= today and missed != "withdrawn" else ""
        limits = {key: number if key == kept else most for key, number in limits.items()}
    products = {
        path.rsplit("/", 1)[1][:-5]: path for path in files.files if path.startswith(f"{files.roots.products}/")
    }

    def properties(sku: str) -> dict:
        return json.loads(files.files[products[sku]])[files.names.field("properties")]

    def pieces(basket: dict) -> int:
        packs = {line["sku"]: properties(line["sku"]).get("pack_of", 1) for line in basket["lines"]}
        return sum(line["quantity"] * (1 if missed == "pieces" else packs[line["sku"]]) for line in basket["lines"])

    def weight(sku: str) -> float:
        number, unit = properties(sku)["weight_of_piece"].split()
        return float(number) * (1 if missed == "units" else UNITS[unit])

    def grams(basket: dict) -> float:
        return sum(weight(line["sku"]) * pieces({"lines": [line]}) for line in basket["lines"])

    def counts(moment: str) -> bool:
        instant = datetime.fromisoformat(moment)
        day = (instant + shift).date()
        while missed != "books" and (day.isoweekday() == 7 or day == holiday):
            day += one_day
        if missed == "period":
            return files.clock - instant < (7 * one_day if percents else one_day)
        return f"{day:%G-%V}" == f"{today:%G-%V}" if percents else day == today

    spent, cited = dict.fromkeys(limits, 0), list[str]()
    if percents:
        own = files.record(files.roots.employees, files.user)
        cited.append(own["id"])
        for basket in files.records(files.roots.baskets):
            given = basket.get("discount")
            if not given or basket["store_id"] != own["store_id"] or given["reason_code"] not in limits:
                continue
            if (missed == "void" or basket["status"] != "abandoned") and counts(basket["created_at"]):
                is_half = basket["status"] == "checked_out" and missed != "half"
                spent[given["reason_code"]] += (given["percent"] + 1) // 2 if is_half else given["percent"]
                cited.append(basket["id"])
    else:
        ended = {one["payment_id"] for one in files.records(files.roots.returns) if one["status"] == "closed"}
        for payment in files.records(files.roots.payments):
            is_void = payment["id"] in ended and missed != "void"
            if payment["customer_id"] == files.user and not is_void and counts(payment["created_at"]):
                city = files.record(files.roots.stores, payment["store_id"])["city"]
                spent[city] += pieces(files.record(files.roots.baskets, payment["basket_id"]))
                cited.append(payment["id"])
    ranked = re.findall(r"`([A-Z]\d\d)` ([^;.]+)", texts[0].split("ode `")[0].split(" A basket without")[0])
    kinds = [(code, next(kind for kind, cue in KINDS if re.search(cue, words)), words) for code, words in ranked]
    heavy = next(re.search(r"(\d+) pieces of `(\S+)`", words) for _, kind, words in kinds if kind == "large")
    kinds = sorted(kinds, key=lambda one: one[1]) if missed == "rank" else kinds
    done, held = re.findall(r"`([A-Z]\d\d)`", texts[0])[len(kinds) :][:2]
    baskets = [files.record(files.roots.baskets, name) for name in wanted]
    queue = sorted(range(len(baskets)), key=lambda at: baskets[at]["created_at"], reverse="newest" in texts[0])
    (text,) = (text for path, text in files.files.items() if re.search(r"/terms-\d+\.md$", path))
    written = datetime.fromisoformat(re.search(r"(\d{4}-\S+ [\d:]{8}) UTC", text)[1]) + shift
    said = r"VH-[A-Z\d-]+ at [\w-]+|||\b\d\b"
    booked = [(1, each) for each in files.book(said, None, missed) if missed != "late" or each[0] >= written]
    booked += [(-1, each) for each in files.book(said, written, missed) if missed not in ("cut", "late")]
    moved, used = Counter(), set()
    for sign, (_, (place, amount), words) in booked:
        is_in = re.search("found|back|turned up|for sale again", words) is not None
        moved[tuple(place.split(" at ")[::-1])] += (sign if is_in else -sign) * int(amount)
    before, free = {**spent}, {}
    gone, told = Counter(), [done] * len(baskets)
    for at in range(len(baskets)) if missed == "order" else queue:
        basket = baskets[at]
        store, count = files.record(files.roots.stores, basket["store_id"]), pieces(basket)
        key, amount = (keys[at], percents[at]) if percents else (store["city"], count)
        needs = Counter()
        for line in basket["lines"]:
            sku = line["sku"] if missed == "heir" else properties(line["sku"]).get("succeeded_by", line["sku"])
            needs[store["id"], sku] += line["quantity"]
        free |= {(store["id"], row["sku"]): max(row["on_hand"] - row["reserved"], 0) for row in store["inventory"]}
        used.update(sku for _, sku in needs)
        total = spent[key] + amount
        there = {
            "status": basket["status"] != "active",
            "closed": not store["is_open"],
            "discounted": "discount" in basket,
            "large": grams(basket) > int(heavy[1]) * weight(heavy[2]),
            "short": any(free.get(place, 0) + moved[place] - gone[place] < number for place, number in needs.items()),
            "limit": total > limits[key] or (total == limits[key] and not exact_in and missed != "exact"),
        }
        told[at] = next((code for code, kind, _ in kinds if there[kind]), done)
        if told[at] == done and missed != "sequence":
            spent[key] = total
            gone.update(needs)
    if told.count(done) < 3 and missed != "minimum":
        told, gone, spent = [held if code == done else code for code in told], Counter(), before
    left = [max(limits[key] - spent[key], 0) for key in limits]
    for sku in sorted(used):
        left.append(sum(max(free[place] + moved[place] - gone[place], 0) for place in free if place[1] == sku))
    return ", ".join([*told, *map(str, left)]), sorted([*wanted, *cited])


def tangled(files: Files, missed: str = "") -> tuple[str, list[str]]:
    """Return the total and the ids of an export's fraudulent rows; `missed` names a rule."""
    path = re.search(r"/archive/\S+\.tsv", files.request)[0]
    header, *lines = (line.split("\t") for line in files.files[path].splitlines())
    rows = sorted((dict(zip(header, line, strict=True)) for line in lines), key=lambda row: row["created_at"])
    text = files.notice("runs")[1]
    gap, is_in = 60 * int(re.search(r"(\d+) minutes", text)[1]), re.search("still", text) is not None
    (head,) = (text for path, text in files.files.items() if re.search(r"/day-book-\d+\.md$", path))
    shift = timedelta(hours=int(re.search(r"(\d) h ", head)[1])) * (missed != "clock")
    taken = [row["archive_payment_id"] for row in rows if int(row["amount_cents"]) < 0]
    ends = datetime.fromisoformat(re.search(r"\d{4}-\S+ [\d:]{8}", text)[0]) + shift if missed != "cut" else None
    said = files.book(r"[\w-]+ at \d{4}-\S+ [\d:]{8}||| ", ends, missed)
    own_rows = {place for _, (place, _), _ in said}
    kept = []
    for row in rows:
        row["at"] = datetime.fromisoformat(row["created_at"]).replace(tzinfo=None)
        is_gone = row["archive_payment_id"] in taken and (missed != "refund" or int(row["amount_cents"]) < 0)
        is_own = f"{row['customer_ref']} at {row['at'] + shift}" in own_rows
        if row["archive_channel"] in ("web", "mobile_app", "customer_terminal") and not is_gone and not is_own:
            kept.append(row)
    found = {}
    for own, other in (("customer_ref", "store_city"), ("device_fingerprint", "customer_ref")):
        last, run_of = {}, {}
        for row in kept:
            before = last.get(row[own])
            seconds = (row["at"] - before["at"]).total_seconds() if before else gap + 1
            is_next = seconds < gap or (seconds == gap and (is_in or missed == "exact"))
            run = run_of[before["row_id"]] if is_next else []
            run.append(row)
            run_of[row["row_id"]], last[row[own]] = run, row
        for run in run_of.values():
            if len(run) >= (2 if missed == "three" else 3) and len({row[other] for row in run}) >= 2:
                found |= {row["row_id"]: int(row["amount_cents"]) for row in run}
    cents = sum(found.values())
    return f"EUR {cents // 100}.{cents % 100:02}", sorted(found)


SOLVERS = {
    "basket-queue": (several, RULES[:-1]),
    "entangled-fraud": (tangled, ("refund", "exact", "three", "clock", "cut", *MISREAD)),
    "ranked-discounts": (several, RULES),
}


def generated(family: str, number: int) -> Task:
    settings = WorldSettings(names=NAMES[number % 3], profile="expert", wordings=("known", "unseen")[number // 3 % 2])
    return generate_variant(f"{family}#{1 + number % len(FAMILIES[family].weights)}", f"expert|{number}", settings)


@pytest.mark.parametrize("number", [12, pytest.param(300, marks=pytest.mark.heavy)])
@pytest.mark.parametrize("family", sorted(SOLVERS))
def test_the_files_alone_give_the_answer_and_a_reader_who_misses_a_rule_is_wrong(family: str, number: int) -> None:
    wrong, (solve, rules) = Counter(), SOLVERS[family]
    for at in range(number):
        task = generated(family, at)
        files, truth = Files(task), task.truth
        cited = truth.measure.fraud if truth.measure else (path.rsplit("/", 1)[1][:-5] for path in truth.records)
        right = (truth.message, sorted(cited))
        assert solve(files) == right, (at, task.instruction)
        wrong.update(rule for rule in rules if solve(files, rule) != right)
    assert number < 300 or all(wrong[rule] >= number / 3 for rule in rules), wrong


def test_calls_beyond_the_limit_are_refused_and_an_answer_is_taken() -> None:
    task = generate_task(task_ids("expert")[0], "calls", WorldSettings(profile="expert"))
    environment = EcomEnvironment(task.world.workspace())
    for _ in range(MOST_CALLS):
        environment.call("list", {"path": "/"})
    with pytest.raises(CallError, match="only the answer"):
        environment.call("list", {"path": "/"})
    environment.answer("1", "OUTCOME_OK", ())
    assert any(str(MOST_CALLS) in text for path, text in environment.first_files.items() if path.endswith("-calls.md"))
