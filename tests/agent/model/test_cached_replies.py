"""A model whose replies are kept in files, so that a repeated request costs nothing.

`CachedModel` wraps a model. It sends a request only if the folder of the cache, here `tmp_path`, has no
reply to the same request.
"""

from pathlib import Path

from controlplane.agent.model import CachedModel, Reply, Usage
from tests.agent.model.user_messages import user
from tests.support.single_trial import ModelWithReplies


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
