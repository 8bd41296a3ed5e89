"""The first message of a trial: its opening calls, what is shown of them, and the instruction."""

from typing import TYPE_CHECKING

import agent

if TYPE_CHECKING:
    from agent.opening.opening_calls import InitialPromptLimits as InitialPromptLimits
    from agent.opening.opening_calls import failed_searches as failed_searches
    from agent.opening.opening_calls import first_calls as first_calls

__getattr__ = agent.lazy_face(__name__, __file__)
