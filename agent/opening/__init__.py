"""The content of turn one, and the room that each part of a first request takes."""

from typing import TYPE_CHECKING

import agent

if TYPE_CHECKING:
    from agent.opening.request_parts import Part as Part
    from agent.opening.request_parts import parts_of_system as parts_of_system
    from agent.opening.request_parts import parts_of_turn_one as parts_of_turn_one

__getattr__ = agent.lazy_face(__name__, __file__)
