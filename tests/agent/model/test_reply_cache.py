"""A reply is kept by its whole request, its model with settings, and its try; a hit costs nothing."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from agent.model import TRY, CachedModel, Message, Reply, RoleModels, Tool, ToolCall
from agent.model.model_protocol import Usage
from tests.support.single_trial import ListModel

ASK = [Message(role="user", content="u \ud800")]
SAID = [
    Reply(text=f"reply {number}", cost_usd=0.5, usage=Usage(prompt_tokens=9), reasoning="hm", notices=("once",))
    for number in range(9)
]
LOOK = Tool(name="look", description="", parameters={})


@pytest.fixture(autouse=True)
def first_try() -> Iterator[None]:
    token = TRY.set(1)
    yield
    TRY.reset(token)


def cached(model: ListModel, folder: Path, **settings: object) -> CachedModel:
    return CachedModel(model, folder, {"model": "m", "temperature": 0.0} | settings)


def test_what_was_asked_before_is_answered_from_the_folder_and_costs_nothing(tmp_path: Path) -> None:
    model = ListModel(SAID)
    first = cached(model, tmp_path).complete(ASK)
    again = cached(model, tmp_path).complete(ASK)
    assert (first.cached, first.cost_usd, first.notices) == (False, 0.5, ("once",))
    assert (again.cached, again.cost_usd, again.notices, again.usage) == (True, 0.0, (), Usage())
    assert (again.text, again.reasoning, len(model.requests)) == (first.text, first.reasoning, 1)


OTHERS = [
    {"messages": [Message(role="user", content="v")]},
    {"messages": [Message(role="user", content="u \ud800", tool_calls=[ToolCall(name="look", arguments="", id="a")])]},
    {"role": "classify"},
    {"schema": {}},
    {"tools": [LOOK]},
    {"tools": [LOOK], "tool_choice": "look"},
]


@pytest.mark.parametrize("other", OTHERS)
def test_another_request_is_another_reply(other: dict, tmp_path: Path) -> None:
    model = ListModel(SAID)
    kept = cached(model, tmp_path)
    kept.complete(ASK)
    assert kept.complete(**{"messages": ASK} | other).text == "reply 1"


def test_another_setting_or_try_is_another_reply(tmp_path: Path) -> None:
    model = ListModel(SAID)
    cached(model, tmp_path).complete(ASK)
    assert cached(model, tmp_path, temperature=1.0).complete(ASK).text == "reply 1"
    TRY.set(2)
    assert cached(model, tmp_path).complete(ASK).text == "reply 2"
    assert cached(model, tmp_path).complete(ASK).cached


@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b'{"text": 3}', b"[" * 100_000, b"\xff"])
def test_a_kept_reply_that_cannot_be_read_is_asked_for_anew(damage: bytes, tmp_path: Path) -> None:
    model = ListModel(SAID)
    cached(model, tmp_path).complete(ASK)
    (kept,) = tmp_path.rglob("*.json")
    kept.write_bytes(damage)
    assert cached(model, tmp_path).complete(ASK).text == "reply 1"
    assert cached(model, tmp_path).complete(ASK).text == "reply 1"


def test_a_folder_that_cannot_be_written_to_costs_no_reply(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    reply = cached(ListModel(SAID), tmp_path / "file").complete(ASK)
    assert reply.text == "reply 0"
    assert any("could not be kept" in each for each in reply.notices)


def test_each_role_has_its_model_and_others_have_the_main_one() -> None:
    main, small = ListModel(SAID, name="main"), ListModel(SAID, name="small")
    models = RoleModels(main, {"classify": small})
    for role in ("solve", "classify", "review"):
        models.complete(ASK, role)
    assert (models.name, len(main.requests), len(small.requests)) == ("main", 2, 1)
