"""What turn one shows, and how much room each part of it takes."""

from agent.opening.turn_one_parts import parts_of as parts_of
