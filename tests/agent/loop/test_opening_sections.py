"""What turn one shows because of the instruction: fitting documents, named files and what hangs on them, samples."""

import json
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from agent.evidence import Recorder
from agent.loop import InitialPromptLimits
from agent.loop.initial_prompt import build_initial_prompt
from sandbox import FileTree
from sandbox.interface import (
    FILE_OPERATIONS,
    CallError,
    EachOf,
    Executable,
    ExecutableKind,
    NamedFiles,
    OpeningCall,
    Plain,
    Surface,
)

READERS = ThreadPoolExecutor(8)


def record(**fields: Plain) -> str:
    return json.dumps(fields, indent=2) + "\n"


FILES = {
    "/RULES.md": "Carts: /docs/carts.md",
    "/docs/carts.md": "# Carts\nA cart is checked out once.",
    "/docs/lore.md": "# Lore\nThe harbour, long ago.",
    "/data/carts/cart-1.json": record(id="cart-1", owner="cust-1", item="ITEM-A-1"),
    "/data/carts/cart-2.json": record(id="cart-2", owner="cust-2", item="ITEM-B-2"),
    "/data/items/ITEM-A-1.json": record(sku="ITEM-A-1", price=3),
    "/data/items/ITEM-B-2.json": record(sku="ITEM-B-2", price=4),
    "/data/paid/pay-9.json": record(id="pay-9", cart="cart-1"),
    "/data/paid/pay-8.json": record(id="pay-8", cart="cart-2"),
    "/data/staff/emp-5.json": record(id="emp-5", note="n" * 500),
}
SURFACE = Surface(
    operations=FILE_OPERATIONS,
    executables=(Executable("/bin/id", ExecutableKind.READS),),
    rules_document="/RULES.md",
    opening=(
        OpeningCall("tree", {"root": "/", "level": 0}, longest_listing=1),
        OpeningCall("exec", {"path": "/bin/id"}),
        OpeningCall("read", {"path": "/RULES.md"}, most_chars=5),
        OpeningCall(
            "read",
            {},
            EachOf("find", {"name": "*.md", "root": "/docs", "kind": "files", "limit": 0}, "paths"),
            fitting_chars=40,
        ),
    ),
    named_files=NamedFiles(("/data",), "/data", search="search", sample_chars=60),
)


class Shop:
    def __init__(self, surface: Surface = SURFACE, broken: tuple[str, ...] = ()) -> None:
        self.surface = surface
        self._tree = FileTree(FILES)
        self._broken = broken

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        if operation in self._broken:
            raise CallError("unavailable", "no such luck")
        if operation == "exec":
            return {"stdout": "user: cust-2\n", "stderr": "", "exit_code": 0}
        return getattr(self._tree, operation)(**arguments)

    def answer(self, message: str, outcome: str, refs: object) -> None:
        raise AssertionError

    def now(self) -> None:
        return None


def opened(instruction: str, shop: Shop, limits: InitialPromptLimits | None = None) -> tuple[Recorder, str]:
    recorder = Recorder("t", shop, lambda event: None)
    recorder.begin_step(0)
    return recorder, "".join(
        build_initial_prompt(instruction, recorder, limits or InitialPromptLimits(), READERS).pieces
    )


@pytest.mark.parametrize("side_by_side", [False, True])
def test_named_files_and_what_hangs_on_them_are_shown_and_can_be_cited(side_by_side: bool) -> None:
    recorder, text = opened("Check out cart-1.", Shop(replace(SURFACE, reads_side_by_side=side_by_side)))
    order = ["carts/cart-1", "items/ITEM-A-1", "paid/pay-9", "carts/cart-2", "staff/emp-5"]
    places = [text.index(f'<section title="read /data/{each}.json">') for each in order]
    assert places[0] < min(places[1:])
    assert '{ "id": "pay-9", "cart": "cart-1" }' in text
    assert recorder.evidence_log.cite("/data/paid/pay-9.json", "the payment of cart-1") == "/data/paid/pay-9.json"


def test_what_is_neither_shown_nor_named_cannot_be_cited() -> None:
    recorder, text = opened("Check out cart-1.", Shop())
    for path in ("/docs/lore.md", "/data/paid/pay-8.json"):
        with pytest.raises(ValueError, match="was not read"):
            recorder.evidence_log.cite(path, "it says pay-8, harbour")
    assert "(Not shown, to be read where it matters: /docs/lore.md (Lore).)" in text
    assert "A cart is checked out once." in text


def test_a_kind_of_which_nothing_is_named_has_one_short_sample() -> None:
    _, text = opened("Check out cart-1.", Shop())
    (sample,) = [each for each in text.split("<section ") if "emp-5.json" in each.partition("\n")[0]]
    assert '"id": "emp-5"' in sample
    assert "nnn" not in sample
    assert "are not shown and do not count as read" in sample


def test_the_characters_of_one_call_are_bounded_and_the_gates_have_the_rules_whole() -> None:
    recorder, text = opened("Check out cart-1.", Shop())
    assert '<section title="read /RULES.md">\nCarts\n</section>' in text
    prompt = build_initial_prompt("Check out.", recorder, InitialPromptLimits(), READERS)
    assert prompt.rules == FILES["/RULES.md"]


@pytest.mark.parametrize(
    "broken", [("search",), ("read",), ("tree",), ("exec",), ("find",), ("tree", "read", "search")]
)
def test_a_call_that_fails_leaves_the_rest(broken: tuple[str, ...]) -> None:
    _, text = opened("Check out cart-1.", Shop(broken=broken))
    assert text.startswith("<instruction>")
    assert ("no such luck" in text) == bool({"read", "tree", "exec"} & {*broken})


def test_turn_one_is_the_same_one_call_at_a_time_and_side_by_side() -> None:
    texts = {opened("Check out cart-1.", Shop(replace(SURFACE, reads_side_by_side=each)))[1] for each in (False, True)}
    assert len(texts) == 1


def test_no_file_is_read_for_its_name_where_no_room_is_left() -> None:
    recorder, text = opened("Check out cart-1.", Shop(), InitialPromptLimits(total_chars=0))
    assert [each.arguments.get("path") for each in recorder.calls if each.operation == "read"] == ["/RULES.md"]
    assert "read /docs/carts.md" in text
