"""The first message of a trial: its opening calls, what is shown of them, and the instruction."""

from agent.opening.opening_calls import InitialPromptLimits, failed_searches, first_calls, without_down
