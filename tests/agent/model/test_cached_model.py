"""A model whose replies are kept in files, so that a repeated request costs nothing.

`CachedModel` wraps a model. It sends a request only if the folder of the cache has no reply to the
same request, with the same messages, tools and settings.
"""

from pathlib import Path

import pytest

from controlplane.agent.model import (
    CachedModel,
    Message,
    Reply,
    Tool,
    ToolCall,
    Usage,
)
from tests.support.single_trial import ModelWithReplies


def user(text: str) -> list[Message]:
    """Return the messages of a request with one message, which the user has written."""
    return [Message(role="user", content=text)]


def test_the_first_reply_keeps_its_cost_and_notices(tmp_path: Path) -> None:
    """It is the model's own, and has to be paid."""
    reply = Reply(text="heron", cost_usd=0.5, notices=("the model is busy",))
    model = CachedModel(ModelWithReplies([reply]), tmp_path, settings={})

    first_reply = model.complete(user("Which word?"))

    assert not first_reply.cached
    assert first_reply.cost_usd == 0.5
    assert first_reply.notices == ("the model is busy",)


def test_a_repeated_request_is_answered_from_the_folder_at_no_cost(
    tmp_path: Path,
) -> None:
    """Two cached models with the same folder are like two processes, one after the other."""
    reply = Reply(
        text="heron",
        cost_usd=0.5,
        usage=Usage(prompt_tokens=9),
        reasoning="a bird, I think",
        notices=("the model is busy",),
    )
    endpoint = ModelWithReplies([reply, Reply(text="another one")])
    CachedModel(endpoint, tmp_path, settings={}).complete(user("Which word?"))

    repeated_reply = CachedModel(endpoint, tmp_path, settings={}).complete(
        user("Which word?")
    )

    assert repeated_reply.cached
    assert repeated_reply.text == "heron"
    assert repeated_reply.reasoning == "a bird, I think"
    assert repeated_reply.cost_usd == 0.0
    assert repeated_reply.usage == Usage()
    assert repeated_reply.notices == ()
    assert len(endpoint.requests) == 1


def test_a_text_that_utf_8_cannot_encode_is_kept(tmp_path: Path) -> None:
    """Models do send half a character, a lone surrogate."""
    endpoint = ModelWithReplies(["half a \ud800", "another one"])
    model = CachedModel(endpoint, tmp_path, settings={})

    first_reply = model.complete(user("Which \ud800?"))
    repeated_reply = model.complete(user("Which \ud800?"))

    assert first_reply.text == "half a \ud800"
    assert repeated_reply.text == "half a \ud800"
    assert len(endpoint.requests) == 1


def test_an_empty_reply_is_not_kept(tmp_path: Path) -> None:
    """The same request is sent again until a reply has text. That reply is kept."""
    endpoint = ModelWithReplies(["", "\n", "heron"])
    model = CachedModel(endpoint, tmp_path, settings={})

    texts = [model.complete(user("Which word?")).text for _ in range(4)]

    assert texts == ["", "\n", "heron", "heron"]


LOOK_TOOL = Tool(name="look", description="", parameters={})


@pytest.mark.parametrize(
    "other_request",
    [
        pytest.param({"messages": user("Which bird?")}, id="other text"),
        pytest.param(
            {
                "messages": [
                    Message(
                        role="user",
                        content="Which word?",
                        tool_calls=[ToolCall(name="look", arguments="", id="a")],
                    )
                ]
            },
            id="with a tool call",
        ),
        pytest.param(
            {"messages": user("Which word?"), "role": "classify"}, id="other role"
        ),
        pytest.param({"messages": user("Which word?"), "schema": {}}, id="a schema"),
        pytest.param(
            {"messages": user("Which word?"), "tools": [LOOK_TOOL]}, id="a tool"
        ),
    ],
)
def test_a_request_that_differs_in_any_part_is_sent(
    other_request: dict, tmp_path: Path
) -> None:
    """It might get another reply than the one that is kept."""
    model = CachedModel(ModelWithReplies(["heron", "finch"]), tmp_path, settings={})
    model.complete(user("Which word?"))

    assert model.complete(**other_request).text == "finch"


def test_a_request_that_chooses_one_of_its_tools_is_sent(tmp_path: Path) -> None:
    model = CachedModel(ModelWithReplies(["heron", "finch"]), tmp_path, settings={})
    model.complete(user("Which word?"), tools=[LOOK_TOOL])

    reply = model.complete(user("Which word?"), tools=[LOOK_TOOL], tool_choice="look")

    assert reply.text == "finch"


def test_a_request_to_a_model_with_another_setting_is_sent(tmp_path: Path) -> None:
    endpoint = ModelWithReplies(["heron", "finch"])
    CachedModel(endpoint, tmp_path, {"temperature": 0.0}).complete(user("Which word?"))

    warmer_model = CachedModel(endpoint, tmp_path, {"temperature": 0.5})

    assert warmer_model.complete(user("Which word?")).text == "finch"
