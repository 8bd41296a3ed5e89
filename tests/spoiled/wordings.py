"""All tables, open and apart, and how their slots are filled."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tests.spoiled.kept_apart import (
    apart_careful_wordings,
    apart_deed_wordings,
    apart_operations,
    apart_reason_wordings,
    apart_refusal_wordings,
    apart_value_wordings,
)
from tests.spoiled.open_part import (
    open_careful_wordings,
    open_deed_wordings,
    open_operations,
    open_reason_wordings,
    open_refusal_wordings,
    open_value_wordings,
)
from tests.spoiled.spoil import Tables

WORDINGS: Final[Tables[str]] = Tables(
    {
        **open_deed_wordings.TABLES,
        **open_refusal_wordings.TABLES,
        **open_value_wordings.TABLES,
        **open_reason_wordings.TABLES,
        **open_careful_wordings.TABLES,
    },
    {
        **apart_deed_wordings.TABLES,
        **apart_refusal_wordings.TABLES,
        **apart_value_wordings.TABLES,
        **apart_reason_wordings.TABLES,
        **apart_careful_wordings.TABLES,
    },
)
DRESSINGS: Final = Tables(open_operations.DRESSINGS, apart_operations.DRESSINGS)
CHOICES: Final = Tables(open_operations.CHOICES, apart_operations.CHOICES)
STRANGERS: Final = Tables(open_operations.STRANGERS, apart_operations.STRANGERS)
SCRIPTS: Final = Tables(open_operations.SCRIPTS, apart_operations.SCRIPTS)


def filled(template: str, slots: Mapping[str, str]) -> str:
    """Fill a wording; a slot whose name begins with a capital begins with one."""
    capitals = {f"{name[:1].upper()}{name[1:]}": value[:1].upper() + value[1:] for name, value in slots.items()}
    return template.format(**{**capitals, **slots})
