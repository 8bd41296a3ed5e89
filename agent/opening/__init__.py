"""What turn one shows, and how much room each part of it takes; pure functions over texts and listings."""

from agent.opening.collapsed_tree import collapsed_tree as collapsed_tree
from agent.opening.collapsed_tree import files_below as files_below
from agent.opening.fitting_texts import fitting as fitting
from agent.opening.joined_lines import joined_lines as joined_lines
from agent.opening.name_index import NameIndex as NameIndex
from agent.opening.name_index import ids_in as ids_in
from agent.opening.turn_one_parts import Part as Part
from agent.opening.turn_one_parts import parts_of as parts_of
