"""All kinds of spoiling, with the part that each belongs to."""

from __future__ import annotations

from typing import Final

from tests.spoiled.kept_apart import apart_answer_kinds, apart_deed_kinds
from tests.spoiled.open_part import deed_kinds, outcome_kinds, reference_kinds, value_kinds
from tests.spoiled.spoil import APART, OPEN, Kind

OPEN_KINDS: Final = (*deed_kinds.KINDS, *reference_kinds.KINDS, *value_kinds.KINDS, *outcome_kinds.KINDS)
APART_KINDS: Final = (*apart_deed_kinds.KINDS, *apart_answer_kinds.KINDS)
PART_OF: Final = {**{kind.name: OPEN for kind in OPEN_KINDS}, **{kind.name: APART for kind in APART_KINDS}}
KINDS: Final[dict[str, Kind]] = {kind.name: kind for kind in (*OPEN_KINDS, *APART_KINDS)}
