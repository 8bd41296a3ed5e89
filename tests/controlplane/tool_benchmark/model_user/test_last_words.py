"""A user that a model plays ends the conversation with a sign.

The model is told to write ###STOP### if nothing is left to say.
"""

from controlplane.agent.model import Reply
from tests.controlplane.tool_benchmark.model_user.telephone_user import (
    ModelWithReplies,
    user_with_telephone,
)


def test_a_user_that_is_a_model_ends_the_conversation_with_a_sign() -> None:
    model = ModelWithReplies(Reply(text="It works now."), Reply(text="###STOP###"))
    user = user_with_telephone(model)
    user("Please restart it.")

    assert user("Anything else?") is None
