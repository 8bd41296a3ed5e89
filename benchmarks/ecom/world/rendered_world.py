"""Renders a world as the workspace of a trial: a file for each record, page and notice.

The basket `basket-0412` becomes the file `/proc/baskets/basket-0412.json` with the text
`{"id": "basket-0412", "customer_id": "cust-0174", ...}`, in the names of the world.
"""

from __future__ import annotations

from collections import UserDict
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any

from pydantic_core import to_json

from controlplane.benchmarks.ecom.workspace import Workspace
from controlplane.benchmarks.ecom.world.page_values import PageFacts
from controlplane.benchmarks.ecom.world.pages import SECURITY, page_texts
from controlplane.benchmarks.ecom.world.records import Record
from controlplane.benchmarks.ecom.world.world import World
from controlplane.sandbox.interface import Plain


def workspace_of(world: World) -> Workspace:
    """Return the world as the workspace of a trial."""
    return Workspace(
        files=_files_of(world),
        directories=(*world.names.directories, *world.directories),
        roots=world.layout.roots,
        names=world.names.records,
        clock=world.clock,
        security_document=world.names.pages[SECURITY],
        uploads=world.names.uploads,
        user=world.session.user,
        roles=world.session.roles,
        verification_delay=timedelta(minutes=world.policy.verification_delay_min),
        sql_is_up=world.profile.sql_is_up,
        limits=world.profile.limits,
        flat_paths_resolve=world.flat_paths_resolve,
    )


def _files_of(world: World) -> _RenderedFiles:
    """Return all files. The texts of records and pages are generated when they are first read."""
    facts = PageFacts(
        # The pages state the policy that notices override, and say that notices do so.
        policy=world.notices.stated_policy,
        names=world.names,
        history=world.origin,
        updates=world.notices.rule,
        outbox=world.outbox,
    )
    sources: dict[str, str | Callable[[], str]] = {**page_texts(facts)}
    sources.update(world.notices.files)  # pairs of a path and a text
    for record in _records_of(world):
        sources[world.path(record)] = partial(text_of_record, world, record)
    sources.update(world.files)
    return _RenderedFiles(sources)


def _records_of(world: World) -> list[Record]:
    return [
        *world.catalogue.products.values(),
        *world.stores.values(),
        *world.baskets.values(),
        *world.payments.values(),
        *world.returns.values(),
        *world.employees.values(),
    ]


def text_of_record(world: World, record: Record, **changed: Plain) -> str:
    """Return the text of a record's file. `changed` replaces fields, by the code's names."""
    data = {**record.data(), **changed}
    shown = world.names.records.in_shown_names(data)
    if world.remarks:
        shown |= world.remarks.get(world.path(record), {})
    # This gives the same text as `record_text` in a tenth of the time.
    return to_json(shown, indent=2).decode() + "\n"


class _RenderedFiles(UserDict[str, Any]):
    """Files by path. Each is a text, or a function that generates it on first access."""

    def __getitem__(self, path: str) -> str:
        source: str | Callable[[], str] = self.data[path]
        if isinstance(source, str):
            return source
        text = source()
        self.data[path] = text
        return text
