"""Documents that are valid from a day on, or until one.

A notice such as `/docs/news/2031-05-11-calls.md` is valid from the day in its name. The first
message says beside each notice whether it has begun, and does not show documents that are not in
force. All trials here are on 2031-05-10 at 23:30 UTC.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from controlplane.agent.retrieval.document_search.document_dates import period_of
from controlplane.sandbox.interface import DocumentDates
from tests.agent.loop.initial_prompt.dated_shop import (
    DATED_NOW,
    DATED_SCHEMA,
    NOTICES,
    DatedShop,
    open_dated,
)


class TestNotices:
    """A notice has its first day in its name, and is in force from then on.

    It is 2031-05-10, 23:30 UTC. The shop has notices from 2031-05-01, 2031-05-11 and 2031-05-20 on.
    """

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
        self, zone: str, state: str
    ) -> None:
        """The notice begins on the 11th of May. At 23:30 UTC on the 10th, it is the 11th east of
        Greenwich."""
        dates = DocumentDates(zone=zone, in_names=True)
        shop = DatedShop(replace(DATED_SCHEMA, document_dates=dates))

        trial = open_dated("Check out cart-1.", shop)

        assert f"/docs/news/2031-05-11-calls.md ({state})" in trial.message

    def test_a_notice_on_the_document_of_the_request_is_among_the_first_shown(
        self,
    ) -> None:
        """The request is about a cart. The document on carts comes first, then the notices that are
        in force: a general one, and one that names this document."""
        notice = {"/docs/news/2031-05-03-carts.md": "Instead of `/docs/carts.md`: ask."}
        shop = DatedShop(files={**NOTICES, **notice})

        trial = open_dated("Check out cart-1.", shop)

        shown_documents: list[str] = []
        for file in trial.files:
            is_shown = file.chars > 0
            if is_shown and file.path.startswith("/docs"):
                shown_documents.append(file.path)
        assert shown_documents[:3] == [
            "/docs/carts.md",
            "/docs/news/2031-05-01-calls.md",
            "/docs/news/2031-05-03-carts.md",
        ]

    def test_a_notice_that_has_not_begun_is_recorded_as_not_in_force(self) -> None:
        """A user who wonders why a file was not shown finds the reason in the journal."""
        trial = open_dated("Check out cart-1.", DatedShop())

        reasons = {file.path: file.reason for file in trial.files}
        assert reasons["/docs/news/2031-05-20-carts.md"] == "not in force"


class TestDocumentsOfRequest:
    """A document is shown if it is valid, and belongs to what the request names.

    It is 2031-05-10, 23:30 UTC. The requests are about `cart-1`, a record in the folder
    `/data/carts`.
    """

    @pytest.mark.parametrize(
        ("front_matter", "state", "is_shown"),
        [
            pytest.param(
                "valid_from: 2031-06-01", "not begun", False, id="from June on"
            ),
            pytest.param("valid_until: 2031-05-01", "ended", False, id="until the 1st"),
            pytest.param("valid_until: 2031-05-10", "begun", True, id="until today"),
            pytest.param(
                "valid_from: 2031-05-11T00:00:00+01:00",
                "begun",
                True,
                id="from 23:00 UTC today on",
            ),
        ],
    )
    def test_front_matter_says_from_when_to_when_a_document_is_valid(
        self, front_matter: str, state: str, is_shown: bool
    ) -> None:
        """The document on carts is shown only while it is valid."""
        text = f"---\n{front_matter}\n---\nCarts are free."
        # The keys of the front matter (the lines between `---`) that have the dates of a document.
        front_matter_dates = DocumentDates(
            zone="Z",
            in_names=True,
            from_keys=("valid_from",),
            until_keys=("valid_until",),
        )
        tool_schema = replace(DATED_SCHEMA, document_dates=front_matter_dates)
        shop = DatedShop(tool_schema, files={"/docs/carts.md": text})

        trial = open_dated("Check out cart-1.", shop)

        assert ("read /docs/carts.md" in trial.message) == is_shown
        period = period_of(front_matter_dates, "/docs/carts.md", text)
        assert period.validity(DATED_NOW) == state

    def test_a_document_on_the_folder_of_the_named_record_is_shown(self) -> None:
        """The request names cart-1. One document names its folder, and one only shares its
        words."""
        documents = {
            "/docs/checking-out.md": "To check out, count what is in it.",
            "/docs/looking-up.md": "One file each, below `/data/carts`.",
        }
        shop = DatedShop(files={**NOTICES, **documents})

        trial = open_dated("Show me cart-1.", shop)

        chosen_files = {file.path: file for file in trial.files}
        document_on_folder = chosen_files["/docs/looking-up.md"]
        assert "folder" in document_on_folder.reason
        assert document_on_folder.chars > 0
        assert "/docs/checking-out.md" not in chosen_files
