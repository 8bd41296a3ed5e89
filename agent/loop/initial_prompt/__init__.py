"""The start of a conversation: the system prompt, and the
first message with the results of the initial calls."""
