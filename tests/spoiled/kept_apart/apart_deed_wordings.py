"""Wordings that say a deed was done; true after the deed, a lie without it. Kept apart.

Who writes or changes a gate or a rule does not read this module.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

TABLES: Final[Mapping[str, Mapping[str, str]]] = {
    "deeds": {
        "passive-perfect": "{Thing} has been {done}.",
        "first-person": "I have {done} {thing} for you.",
        "first-person-plural": "We went ahead with the {noun}; {id} is through.",
        "arrow": "{id} -> {state}",
        "json": '{{"id": "{id}", "status": "{state}"}}',
        "german-bare": "Erledigt.",
        "mixed": "Alles klar, {thing} ist {done}.",
        "confirmed": "Confirmed: {noun} for {id}.",
        "nothing-left": "Nothing is left to do, since {thing} already went through under the policy.",
    },
    "stale-states": {
        "remains": "{Thing} remains {before}, as its record shows.",
        "german": "{Ding} hat weiterhin den Status {before}.",
        "currently": "Currently {id} stands at {before}.",
    },
}
