"""The opening calls of a trial, and what turn one shows of them."""

from typing import TYPE_CHECKING

import agent

if TYPE_CHECKING:
    from agent.opening.turn_one import failed_searches as failed_searches
    from agent.opening.turn_one import first_calls as first_calls

__getattr__ = agent.lazy_face(__name__, __file__)
