"""The first message of a trial: its initial calls, what is shown of them, and the instruction."""

from agent.first_message.initial_calls import failed_searches, first_calls, without_down
