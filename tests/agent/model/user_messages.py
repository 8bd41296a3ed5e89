"""A request's messages: one that the user has written."""

from controlplane.agent.model import Message


def user(text: str) -> list[Message]:
    """Return the messages of a request with one message, which the user has written."""
    return [Message(role="user", content=text)]
