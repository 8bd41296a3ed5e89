"""A request that differs in any part from those before is sent to the model, and not read from files.

`CachedModel` keeps the replies of a model in a folder. A request with other messages, tools or settings
might get another reply than the one that is kept. The model here says "heron" first, and then "finch".
"""

from pathlib import Path

import pytest

from controlplane.agent.model import CachedModel, Message, Tool, ToolCall
from tests.agent.model.user_messages import user
from tests.support.single_trial import ModelWithReplies

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
