"""Documents that are valid from a day on, or until one.

A notice such as `/docs/news/2031-05-11-calls.md` is valid from the day in its name. The first
message says beside each notice whether it has begun, and does not show documents that are not in
force. The time of all trials here is 2031-05-10, 23:30 UTC.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from controlplane.agent.retrieval.document_search.document_dates import period_of
from controlplane.sandbox.interface import DocumentDates
from tests.agent.loop.initial_prompt.prompt_shop import (
    DATED_NOW,
    DATED_SCHEMA,
    NOTICES,
    DatedShop,
    opened_at,
)


@pytest.mark.parametrize(
    ("zone", "state"),
    [
        # It is still the 10th of May.
        ("+00:00", "not begun"),
        ("-05:00", "not begun"),
        # It is the 11th.
        ("+01:00", "begun"),
        ("Europe/Amsterdam", "begun"),
        ("", "begun or not: in which zone its day counts is not known"),
    ],
)
def test_the_zone_of_the_notices_decides_whether_one_has_begun(
    zone: str, state: str
) -> None:
    """The notice begins on the 11th of May. At 23:30 UTC on the 10th, it is the 11th east of
    Greenwich."""
    dates = DocumentDates(zone=zone, in_names=True)
    shop = DatedShop(replace(DATED_SCHEMA, document_dates=dates))

    text = "".join(opened_at(shop).first_message)

    assert f"/docs/news/2031-05-11-calls.md ({state})" in text


def test_a_notice_on_the_document_of_the_request_is_among_the_first_shown() -> None:
    """The request is about a cart. The document on carts comes first, then the notices that are
    in force: a general one, and one that names this document."""
    notice = {"/docs/news/2031-05-03-carts.md": "Instead of `/docs/carts.md`: ask."}

    chosen_files = opened_at(DatedShop(files={**NOTICES, **notice})).files

    shown_documents: list[str] = []
    for file in chosen_files:
        if file.path.startswith("/docs") and file.chars:
            shown_documents.append(file.path)
    assert shown_documents[:3] == [
        "/docs/carts.md",
        "/docs/news/2031-05-01-calls.md",
        "/docs/news/2031-05-03-carts.md",
    ]


def test_a_notice_that_has_not_begun_is_recorded_as_not_in_force() -> None:
    """A user who wonders why a file was not shown finds the reason in the journal."""
    notice = {"/docs/news/2031-05-03-carts.md": "Instead of `/docs/carts.md`: ask."}

    chosen_files = opened_at(DatedShop(files={**NOTICES, **notice})).files

    reasons = {file.path: file.reason for file in chosen_files}
    assert reasons["/docs/news/2031-05-20-carts.md"] == "not in force"


FRONT_MATTER_DATES = DocumentDates(
    zone="Z", in_names=True, from_keys=("valid_from",), until_keys=("valid_until",)
)
"""The keys of the front matter (the lines between `---`) that have the dates of a document."""


@pytest.mark.parametrize(
    ("front_matter", "state", "is_shown"),
    [
        ("valid_from: 2031-06-01", "not begun", False),
        ("valid_until: 2031-05-01", "ended", False),
        ("valid_until: 2031-05-10", "begun", True),
        ("valid_from: 2031-05-11T00:00:00+01:00", "begun", True),
    ],
)
def test_front_matter_says_from_when_to_when_a_document_is_valid(
    front_matter: str, state: str, is_shown: bool
) -> None:
    """The document on carts is shown only while it is valid."""
    text = f"---\n{front_matter}\n---\nCarts are free."
    shop = DatedShop(
        replace(DATED_SCHEMA, document_dates=FRONT_MATTER_DATES),
        files={"/docs/carts.md": text},
    )

    period = period_of(FRONT_MATTER_DATES, "/docs/carts.md", text)
    message = "".join(opened_at(shop).first_message)

    assert period.validity(DATED_NOW) == state
    assert ("read /docs/carts.md" in message) == is_shown


def test_a_document_on_the_folder_of_the_named_record_is_shown() -> None:
    """The request names cart-1. One document names its folder, and one only shares its words."""
    documents = {
        "/docs/checking-out.md": "To check out, count what is in it.",
        "/docs/looking-up.md": "One file each, below `/data/carts`.",
    }
    shop = DatedShop(files={**NOTICES, **documents})

    chosen_files = {
        file.path: file for file in opened_at(shop, "Show me cart-1.").files
    }

    assert "folder" in chosen_files["/docs/looking-up.md"].reason
    assert chosen_files["/docs/looking-up.md"].chars > 0
    assert "/docs/checking-out.md" not in chosen_files
