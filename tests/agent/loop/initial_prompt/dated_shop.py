"""A shop with notices: documents that are valid from the day in their name on.

`/docs/news/2031-05-11-calls.md` is valid from the 11th of May 2031. The trials are on the 10th, so
the first message does not show this notice, and says that it has not begun.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime

from controlplane.sandbox.interface import DocumentDates, ToolSchema
from tests.agent.loop.initial_prompt.opened_trial import OpenedTrial
from tests.agent.loop.initial_prompt.prompt_shop import SHOP_FILES, SHOP_SCHEMA, Shop

DATED_NOW = datetime(2031, 5, 10, 23, 30, tzinfo=UTC)
"""The time of the trials. By clocks that are an hour ahead, this is the 11th of May."""

NOTICES = {
    "/RULES.md": (
        "Carts: /docs/carts.md, keys: /docs/keys.md, noise: /docs/noise.md."
        " Notices in `/docs/news` win.\n"
    ),
    "/docs/keys.md": "# Keys\n" + "Two keys a room. " * 20,
    "/docs/news/2031-05-01-calls.md": "# Notice\nSince 2031-05-01 calls are counted.",
    "/docs/news/2031-05-02-keys.md": "# Notice\nInstead of `/docs/keys.md`: one key a room.",
    "/docs/news/2031-05-11-calls.md": "# Notice\nFrom 2031-05-11 on no calls are counted.",
    "/docs/news/2031-05-20-carts.md": "# Notice\nInstead of `/docs/carts.md`: checked out twice.",
}
"""Rules that name the folder of the notices, and notices with their first day in their name.

On the 10th of May, those of the 1st and the 2nd have begun.
"""

DATED_SCHEMA = replace(
    SHOP_SCHEMA,
    document_dates=DocumentDates(zone="+00:00", in_names=True),
    ranked_chars=3_000,  # characters of documents that are shown
)


class DatedShop(Shop):
    """A shop with notices."""

    def __init__(
        self, tool_schema: ToolSchema = DATED_SCHEMA, files: Mapping[str, str] = NOTICES
    ) -> None:
        """`files` are those beside or instead of the shop's own."""
        super().__init__(tool_schema, files={**SHOP_FILES, **files})

    def now(self) -> datetime:
        return DATED_NOW


def open_dated(request: str, shop: DatedShop) -> OpenedTrial:
    """Return a trial whose first message was made on the 10th of May, late in the evening."""
    return OpenedTrial(request, shop, now=DATED_NOW)
