"""What a hard world does to calls: it cuts with a flag, takes its time, and lets a few calls time out once."""

from __future__ import annotations

import pytest

from benchmarks.ecom.runtime import shop_runtime
from benchmarks.ecom.runtime.shop_runtime import TIMED_OUT, ShopRuntime
from benchmarks.ecom.runtime.workspace import CallLimits
from benchmarks.ecom.world.generator import generate
from benchmarks.ecom.world.profiles import PROFILES, WorldSettings

HARD = generate("profiles", WorldSettings(profile="hard")).workspace()
PROD = generate("profiles").workspace()


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    found: list[float] = []
    monkeypatch.setattr(shop_runtime.time, "sleep", found.append)
    return found


def test_a_hard_world_cuts_what_finds_many_and_says_so() -> None:
    hard, prod = ShopRuntime(HARD), ShopRuntime(PROD)
    for operation, arguments, field in (
        ("find", {"name": "*.json", "root": "/proc", "limit": 0}, "paths"),
        ("search", {"pattern": "quantity", "root": "/proc", "limit": 500}, "matches"),
    ):
        cut = hard.call(operation, arguments)
        assert (len(cut[field]), cut["truncated"]) == (60, True)
        assert len(prod.call(operation, arguments)[field]) > 60
    few = hard.call("find", {"name": "*.md", "root": "/docs", "limit": 0})
    assert 10 < len(few["paths"]) < 60
    assert few["truncated"] is False


def test_a_hard_world_cuts_long_files_and_the_rest_is_read_by_its_lines() -> None:
    hard = ShopRuntime(HARD)
    path = max(HARD.files, key=lambda each: HARD.files[each].count("\n"))
    text, lines = "", HARD.files[path].count("\n")
    parts = []
    while text.count("\n") < lines:
        part = hard.call("read", {"path": path, "start_line": text.count("\n") + 1})
        parts.append((str(part["content"]).count("\n"), part["truncated"]))
        text += str(part["content"])
    assert text == HARD.files[path]
    assert parts[0] == (160, True)
    assert parts[-1][1] is False
    assert (
        ShopRuntime(PROD).call("read", {"path": max(PROD.files, key=lambda each: len(PROD.files[each]))})["truncated"]
        is False
    )


def test_some_calls_of_a_hard_worlds_tools_time_out_once(pauses: list[float]) -> None:
    hard = ShopRuntime(HARD)
    path = sorted(each for each in HARD.files if each.endswith(".json"))[0]
    calls = [{"path": "/bin/cat", "args": [path] * count} for count in range(1, 401)]
    late = [each for each in calls if hard.call("exec", each)["exit_code"] == TIMED_OUT]
    assert 2 <= len(late) <= 20
    assert set(pauses) == {0.02}
    assert {hard.call("exec", each)["exit_code"] for each in late} == {0}
    assert hard.call("exec", {"path": "/bin/cat", "args": ["--help"]})["exit_code"] == 0


def test_the_tools_of_other_worlds_are_immediate(pauses: list[float]) -> None:
    assert PROFILES["prod"].limits == PROFILES["dev"].limits == CallLimits()
    assert ShopRuntime(PROD).call("exec", {"path": "/bin/date"})["exit_code"] == 0
    assert set(pauses) <= {0.0}
