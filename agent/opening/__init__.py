"""What turn one shows, and how much room each part of a first request takes."""

from agent.opening.request_parts import Part as Part
from agent.opening.request_parts import parts_of_system as parts_of_system
from agent.opening.request_parts import parts_of_turn_one as parts_of_turn_one
