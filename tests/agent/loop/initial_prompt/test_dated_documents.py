"""The first message shows the documents that fit the request and are in force.

A notice such as `/docs/news/2031-05-11-carts.md` is in force from the day in its name on.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime

import pytest

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


@pytest.mark.parametrize(
    ("zone", "state"), [("+00:00", "not begun"), ("+01:00", "begun")]
)
def test_the_first_message_says_whether_a_notice_has_begun(
    zone: str, state: str
) -> None:
    """At 23:30 in Greenwich, it is the 10th there, and the 11th an hour further east."""
    files = {
        "/RULES.md": "Carts: /docs/carts.md. Notices in `/docs/news` win.\n",
        "/docs/carts.md": "A cart is checked out once.",
        "/docs/news/2031-05-11-carts.md": "Instead of `/docs/carts.md`: twice.",
    }

    trial = open_on_may_10("How is a cart checked out?", files, zone)

    assert f"/docs/news/2031-05-11-carts.md ({state})" in trial.message
    assert ("Instead of" in trial.message) == (state == "begun")


def test_a_notice_on_the_document_of_the_request_is_among_the_first_shown() -> None:
    """The document on carts comes first, then the notices that are in force: a general one, and one
    that names this document. The notice on keys is not on this subject."""
    files = {
        "/RULES.md": (
            "Carts: /docs/carts.md. Keys: /docs/keys.md. Notices in `/docs/news` win.\n"
        ),
        "/docs/carts.md": "A cart is checked out once.",
        "/docs/keys.md": "Two keys a room.",
        "/docs/news/2031-05-01-calls.md": "Calls are counted.",
        "/docs/news/2031-05-02-keys.md": "Instead of `/docs/keys.md`: one key.",
        "/docs/news/2031-05-03-carts.md": "Instead of `/docs/carts.md`: ask.",
        "/docs/news/2031-05-20-carts.md": "Instead of `/docs/carts.md`: twice.",
    }

    trial = open_on_may_10("How is a cart checked out?", files)

    shown_documents = [file.path for file in trial.files if file.chars > 0]
    assert shown_documents[:3] == [
        "/docs/carts.md",
        "/docs/news/2031-05-01-calls.md",
        "/docs/news/2031-05-03-carts.md",
    ]


def test_a_notice_that_has_not_begun_is_recorded_as_not_in_force() -> None:
    """A user who wonders why a file was not shown finds the reason in the journal."""
    files = {
        "/RULES.md": "Carts: /docs/carts.md. Notices in `/docs/news` win.\n",
        "/docs/carts.md": "A cart is checked out once.",
        "/docs/news/2031-05-20-carts.md": "Instead of `/docs/carts.md`: twice.",
    }

    trial = open_on_may_10("How is a cart checked out?", files)

    reasons = {file.path: file.reason for file in trial.files}
    assert reasons["/docs/news/2031-05-20-carts.md"] == "not in force"


@pytest.mark.parametrize(
    ("field", "is_shown"),
    [
        ("valid_from: 2031-06-01", False),
        ("valid_until: 2031-05-01", False),
        ("valid_until: 2031-05-10", True),  # until the end of today
        # since 23:00 UTC today
        ("valid_from: 2031-05-11T00:00:00+01:00", True),
    ],
)
def test_a_document_is_shown_only_while_it_is_in_force(
    field: str, is_shown: bool
) -> None:
    files = {
        "/RULES.md": "Carts: /docs/carts.md.\n",
        "/docs/carts.md": f"---\n{field}\n---\nCarts are free.",
    }

    trial = open_on_may_10("How is a cart checked out?", files)

    assert ("read /docs/carts.md" in trial.message) == is_shown


def test_a_document_on_the_folder_of_the_named_record_is_shown() -> None:
    """The request names cart-1, a record in `/data/carts`. One document names this folder. The
    other one only shares words with the request."""
    files = {
        "/RULES.md": "What no document tells is not done here.\n",
        "/data/carts/cart-1.json": '{"id": "cart-1"}\n',
        "/docs/looking-up.md": "One file each, below `/data/carts`.",
        "/docs/showing.md": "To show a thing, count what is in it.",
    }

    trial = open_on_may_10("Show me cart-1.", files)

    chosen_files = {file.path: file for file in trial.files}
    assert "folder" in chosen_files["/docs/looking-up.md"].reason
    assert chosen_files["/docs/looking-up.md"].chars > 0
    assert "/docs/showing.md" not in chosen_files
