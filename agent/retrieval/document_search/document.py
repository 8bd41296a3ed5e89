"""A document of a workspace: a text for all requests, such as the policy `/docs/parking.md`.

It is listed first, then searched for the words of a request, and perhaps read. Its `text` is what
is known of it by then:

    ""                                  it was listed
    "Cars stand behind the house.\\n"    a search for `cars` has found this line
    "# Parking\\nCars stand behind ..."  it was read
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.retrieval.document_search.validity import Validity


@dataclass(frozen=True, slots=True)
class Document:
    """A document, as far as it is known."""

    path: str
    description: str | None
    """The words by which the workspace's rules describe it: `cars permits`. None if they do not
    describe it. It is empty if they only have words that they use for many documents."""
    is_notice: bool
    """True for a *notice*: a document that changes others from the day in its name on."""
    text: str = ""
    """The text, as far as it is known."""
    validity: Validity = Validity.UNDATED
    """Whether the document is in force now, as far as its name and the known text say."""
