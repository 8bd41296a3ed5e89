"""Expert tasks, solved a second time from the files of their worlds alone; and that no function solves one at once."""

import json
import re
from collections.abc import Callable, Iterator
from statistics import mean

import pytest

from benchmarks.ecom.runtime.shop_environment import EcomEnvironment
from benchmarks.ecom.tasks.posing import pose_task, task_ids
from benchmarks.ecom.tasks.task import DENIED, Task
from benchmarks.ecom.world.generator import MOST_CALLS, WorldSettings
from sandbox.interface import CallError
from tests.benchmarks.ecom.reference_solutions import pose_variant
from tests.support.finding_truths import found

DAY = re.compile(r"\d{4}-\d\d-\d\d")
UNITS = {"lb": 453.592, "oz": 28.3495, "g": 1, "in": 2.54, "ft": 30.48, "mm": 0.1, "US gal": 3.7854, "cl": 0.01}
UNITS |= {"cubic feet": 28.3168, "kW": 1000, "hp": 745.7, "psi": 0.068948, "kPa": 0.01, "lm": 1, "hundred lm": 100}
UNITS |= {"h": 60, "s": 1 / 60}
COMPARED = {
    "weight_kg": r"(lighter)|heavier",
    "length_cm": r"(shorter)|longer",
    "thickness_cm": r"(thinner)|thicker",
    "width_cm": r"(narrower)|wider",
    "volume_l": r"holding (less)|holding more",
    "power_w": r"rated at (less)|rated at more",
    "max_bar": r"pumping to (less)|pumping to more",
    "lumen": r"(dimmer)|brighter",
    "minutes": r"running for (less)|running for more",
}
KINDS = (
    ("discounted", "discount"),
    ("branch", "employee"),
    ("status", "given up|status|open for buying"),
    ("closed", "closed|not open|trade|shut"),
    ("large", r"\d"),
    ("short", "line"),
    ("maximum", "percent"),
)
JOINT = "both are bought or neither|bought together|only if both|is not bought without"
NAMES = ("own", "random", "public")


class Files:
    """What a trial's files say."""

    def __init__(self, task: Task) -> None:
        self.files, self.names = dict(task.world.workspace().files), task.truth.names
        self.today = task.world.clock.date().isoformat()
        self.roots, self.user, self.request = task.world.layout.roots, task.world.user, task.instruction
        self.notices = sorted(path for path in self.files if re.match(r"\d{4}-\d\d-\d\d-", path.rsplit("/", 1)[1]))

    def record(self, root: str, name: str) -> dict:
        path = next(each for each in self.files if each.startswith(f"{root}/") and each.endswith(f"/{name}.json"))
        return self.names.in_code_names(json.loads(self.files[path]))

    def said(self, subject: str) -> list[tuple[str, str]]:
        """Return the day and the text of each notice on a subject that holds today, the oldest first."""
        ended = [
            (path, self.files[path].split("\n\n", 1)[1]) for path in self.notices if path.endswith(f"-{subject}.md")
        ]
        return [(DAY.search(path)[0], text) for path, text in ended if DAY.search(path)[0] <= self.today]

    def ranked(self, subject: str) -> list[tuple[str, str, str]]:
        """Return the codes in their order, each with its kind of obstacle and its words."""
        listed = re.findall(r"`([A-Z]\d\d)` ([^;.]+)", self.said(subject)[-1][1])
        return [(code, next(kind for kind, cue in KINDS if re.search(cue, words)), words) for code, words in listed]

    def obstacles(self, basket: dict) -> Iterator[str]:
        store = self.record(self.roots.stores, basket["store_id"])
        rows = {row["sku"]: row for row in store["inventory"]}
        free = {sku: max(row["on_hand"] - row["reserved"], 0) for sku, row in rows.items()}
        yield from ["status"] * (basket["status"] != "active") + ["closed"] * (not store["is_open"])
        yield from ["short"] * any(free.get(line["sku"], 0) < line["quantity"] for line in basket["lines"])
        yield from ["discounted"] * ("discount" in basket)


def ranked_discount(files: Files) -> str:
    name, percent = (
        re.search(r"\b\w+[-_]\d{3,4}\b", files.request)[0],
        int(re.search(r"(\d+) ?(?:%|per)", files.request)[1]),
    )
    basket = files.record(files.roots.baskets, name)
    store = files.record(files.roots.stores, basket["store_id"])
    (_, maxima), *_ = files.said("maxima")
    by_reason = {reason: int(most) for reason, most in re.findall(r"`(\w+)` (\d+) %", maxima)}
    reason = next(code for code in by_reason if code in files.request)
    most = by_reason[reason]
    for day, text in files.said("exception"):
        is_meant = f"`{reason}`" in text and store["city"] in text and not files.said("withdrawal")
        if is_meant and day <= files.today <= max(DAY.findall(re.sub("`[^`]*`", "", text))):
            most = int(re.search(r"(\d+) %", text)[1])
    units = sum(line["quantity"] for line in basket["lines"])
    for _, text in files.said("units"):
        most += units >= int(re.search(r"(?<!\S)\d+(?!\S)", re.sub("`[^`]*`", "", text))[0])
    there = {*files.obstacles(basket)} | ({"maximum"} if percent > most else set())
    there |= {"branch"} if files.record(files.roots.employees, files.user)["store_id"] != store["id"] else set()
    return next((code for code, kind, _ in files.ranked("ranks") if kind in there), str(percent))


def basket_pair(files: Files) -> str:
    pair = [files.record(files.roots.baskets, name) for name in re.findall(r"\b\w+[-_]\d{3,4}\b", files.request)]
    if any(basket["customer_id"] != files.user for basket in pair):
        return DENIED
    told, (_, text) = [], files.said("pairs")[-1]
    for basket in pair:
        there, count = {*files.obstacles(basket)}, sum(line["quantity"] for line in basket["lines"])
        for code, kind, words in files.ranked("obstacles"):
            if kind in there or (kind == "large" and count > int(re.search(r"\d+", words)[0])):
                told.append(code)
                break
        else:
            told.append("")
    done, *others = dict.fromkeys(re.findall(r"`([A-Z]\d\d)`", text))
    spare = others[-1] if re.search(JOINT, text) and any(told) else done
    return ", ".join(code or spare for code in told)


def measured_products(files: Files) -> str:
    text, kind = files.request, re.search(r"`(kind-[\w-]+)`", files.request)[1]
    products = [
        files.names.in_code_names(json.loads(files.files[path]))
        for path in files.files
        if path.startswith(f"{files.roots.products}/")
    ]
    products = [product for product in products if product["kind_id"] == kind]
    amount, direction = re.search(r"EUR (\d+\.\d\d) (more|less)", text).groups()
    other = max((one for one in products if one["name"] in text), key=lambda one: len(one["name"]))
    key, cue = next((key, cue) for key, cue in COMPARED.items() if re.search(cue, text))
    is_less = re.search(cue, text)[1] is not None
    number, unit = re.search(rf"than ([\d.e+]+) ({'|'.join(sorted(UNITS, key=len, reverse=True))})\b", text).groups()
    limit = float(number) * UNITS[unit] / (1000 if key == "weight_kg" else 1)
    bound = other["price_cents"] + round(float(amount) * 100) * (1 if direction == "more" else -1)
    held = [one for one in products if (float(one["properties"][key]) < limit) is is_less]
    fitting = [
        one for one in held if (one["price_cents"] >= bound if direction == "more" else one["price_cents"] <= bound)
    ]
    if "cheapest" in text or "dearest" in text:
        return (min if "cheapest" in text else max)(fitting, key=lambda one: one["price_cents"])["sku"]
    return str(len(fitting))


@pytest.mark.parametrize("wordings", ["known", "unseen"])
@pytest.mark.parametrize(
    ("solve", "variants"),
    [
        (ranked_discount, ("ranked-discount#1", "ranked-discount#2")),
        (basket_pair, tuple(f"basket-pair#{number}" for number in (1, 2, 3, 4))),
        (measured_products, ("measured-products#1", "measured-products#2")),
    ],
)
def test_the_files_alone_give_the_answer(
    solve: Callable[[Files], str], variants: tuple[str, ...], wordings: str
) -> None:
    for seed in range(12):
        settings = WorldSettings(names=NAMES[seed % 3], profile="expert", wordings=wordings)
        task = pose_variant(variants[seed % len(variants)], f"expert|{seed}", settings)
        right = DENIED if task.truth.outcome == DENIED else task.truth.message
        assert solve(Files(task)) == right, (seed, task.instruction)


def test_the_function_for_fraud_never_finds_all_of_a_tangled_export_at_once() -> None:
    scores = []
    for seed in range(8):
        truth = (task := pose_variant("entangled-fraud#1", f"fraud|{seed}")).truth
        value = found(EcomEnvironment(task.world.workspace()), "fraud_rows", path=truth.inputs["path"])[0]
        scores.append(truth.measure.measure(value["value"]["total"], [each["path"] for each in value["refs"]])[0])
    assert max(scores) < 1.0
    assert mean(scores) < 0.9


def test_calls_beyond_the_limit_are_refused_and_an_answer_is_taken() -> None:
    task = pose_task(task_ids("expert")[0], "calls", WorldSettings(profile="expert"))
    environment = EcomEnvironment(task.world.workspace())
    for _ in range(MOST_CALLS):
        environment.call("list", {"path": "/"})
    with pytest.raises(CallError, match="only the answer"):
        environment.call("list", {"path": "/"})
    environment.answer("1", "OUTCOME_OK", ())
    assert any(str(MOST_CALLS) in text for path, text in environment.first_files.items() if path.endswith("-calls.md"))
