"""A trial that begins on 2031-05-10 at 23:30 UTC, in a workspace with dated documents.

`open_on_may_10("How is a cart checked out?", files).message` is the first message to its model.
"""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime

from controlplane.sandbox.interface import DocumentDates
from tests.agent.loop.initial_prompt.opened_trial import OpenedTrial
from tests.agent.loop.initial_prompt.prompt_shop import SHOP_SCHEMA, Shop


def open_on_may_10(
    request: str, files: Mapping[str, str], zone: str = "Z"
) -> OpenedTrial:
    """Return a trial that begins on 2031-05-10 at 23:30 UTC, in a workspace of these files.

    `zone` is the time zone in which the days of documents count.
    """
    dates = DocumentDates(
        zone=zone,
        in_names=True,
        from_keys=("valid_from",),
        until_keys=("valid_until",),
    )
    schema = replace(SHOP_SCHEMA, document_dates=dates, ranked_chars=3_000)
    now = datetime(2031, 5, 10, 23, 30, tzinfo=UTC)
    return OpenedTrial(request, Shop(schema, files=files), now=now)
