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

QUESTION = [Message(role="user", content="u \ud800")]
"""A lone surrogate (\\ud800) cannot be encoded as UTF-8. Models do send such text."""


def numbered_reply(number: int) -> Reply:
    """Return a reply with every field that the cache treats in a special way."""
    return Reply(
        text=f"reply {number}",
        cost_usd=0.5,
        usage=Usage(prompt_tokens=9),
        reasoning="hm",
        notices=("once",),
    )


def cached_model(model: ModelWithReplies, folder: Path) -> CachedModel:
    """Return a model that keeps its replies in a folder, for one model and temperature.

    Two of them with the same folder are like two processes with the same settings.
    """
    return CachedModel(model, folder, {"model": "m", "temperature": 0.0})


class TestRepeatedRequests:
    """A request that was made before gets its first reply, at no cost.

    `cached_model(model, folder)` keeps the replies in the folder. Two of them with the same folder
    are like two processes with the same settings.
    """

    def test_first_reply_keeps_its_cost_and_notices(self, tmp_path: Path) -> None:
        """The first reply to a request is the model's own, and has to be paid."""
        model = ModelWithReplies([numbered_reply(0)])

        reply = cached_model(model, tmp_path).complete(QUESTION)

        assert not reply.cached
        assert reply.cost_usd == 0.5
        assert reply.notices == ("once",)

    def test_repeated_request_is_answered_from_the_cache_at_no_cost(
        self, tmp_path: Path
    ) -> None:
        """The first reply is kept in the folder, where the second process finds it."""
        model = ModelWithReplies([numbered_reply(0), numbered_reply(1)])
        cached_model(model, tmp_path).complete(QUESTION)

        repeated_reply = cached_model(model, tmp_path).complete(QUESTION)

        assert repeated_reply.cached
        assert repeated_reply.text == "reply 0"
        assert repeated_reply.reasoning == "hm"
        assert repeated_reply.cost_usd == 0.0
        assert repeated_reply.usage == Usage()
        assert repeated_reply.notices == ()
        assert len(model.requests) == 1

    def test_empty_reply_is_not_cached(self, tmp_path: Path) -> None:
        """The same request is sent again until a reply has text. That reply is cached."""
        model = cached_model(ModelWithReplies(["", "\n", "text"]), tmp_path)

        texts = [model.complete(QUESTION).text for _ in range(4)]

        assert texts == ["", "\n", "text", "text"]


LOOK_TOOL = Tool(name="look", description="", parameters={})
MESSAGE_WITH_CALL = Message(
    role="user",
    content="u \ud800",
    tool_calls=[ToolCall(name="look", arguments="", id="a")],
)


class TestOtherRequests:
    """A request that differs in any part is sent, since it might get another reply.

    The cache has "reply 0" to `QUESTION`. The model has "reply 1" for the next request that is
    sent.
    """

    @pytest.mark.parametrize(
        "other_request",
        [
            pytest.param(
                {"messages": [Message(role="user", content="v")]}, id="other text"
            ),
            pytest.param({"messages": [MESSAGE_WITH_CALL]}, id="with a tool call"),
            pytest.param({"messages": QUESTION, "role": "classify"}, id="other role"),
            pytest.param({"messages": QUESTION, "schema": {}}, id="with a schema"),
            pytest.param(
                {"messages": QUESTION, "tools": [LOOK_TOOL]}, id="with a tool"
            ),
            pytest.param(
                {"messages": QUESTION, "tools": [LOOK_TOOL], "tool_choice": "look"},
                id="with a chosen tool",
            ),
        ],
    )
    def test_request_that_differs_in_any_part_is_not_answered_from_the_cache(
        self, other_request: dict, tmp_path: Path
    ) -> None:
        model = cached_model(
            ModelWithReplies([numbered_reply(0), numbered_reply(1)]), tmp_path
        )
        model.complete(QUESTION)

        reply = model.complete(**other_request)

        assert reply.text == "reply 1"
