"""Sends the declared calls that read files, once it is known which files there are.

Calls such as `tree /` and `read /RULES.md` were sent before. An environment may also declare
calls of these kinds:

| kind | for example | what is done |
|---|---|---|
| `READS_FILE` | `read /docs/a.md` | the call is sent |
| `FOR_EACH_LISTED` | `read` each file of `find /policies` | a call is sent for each file |
| `FOR_FITTING_FILES` | `read` those files of `find /docs` that fit | the files are only listed |
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.initial_calls.call_kind import CallKind
from controlplane.agent.initial_calls.declared_call import DeclaredCall
from controlplane.agent.initial_calls.declared_calls import declared_calls
from controlplane.agent.initial_calls.sent_call import SentCall
from controlplane.agent.loop.initial_prompt.listings.listed_values import listed_values
from controlplane.agent.loop.initial_prompt.message_draft import MessageDraft
from controlplane.agent.retrieval.document_search.listed_documents import (
    ListedDocuments,
)


@dataclass(frozen=True, slots=True)
class SentReads:
    """What is known of the files to show, before it is known which of them fit the request."""

    sent_calls: list[SentCall]
    """The calls that read files for every request. They may still run."""
    documents: ListedDocuments
    """Files of which only those that fit the request are read, once it is known which do."""


def send_declared_reads(draft: MessageDraft) -> SentReads:
    """Send the calls that read files for every request, and list the files to choose from.

    The draft knows which files were read before, so that none is read twice.
    """
    sent_calls: list[SentCall] = []
    documents = ListedDocuments()
    tool_schema = draft.calls.tool_schema
    for declared in declared_calls(tool_schema):
        if declared.kind is CallKind.READS_FILE:
            if not draft.was_read(declared, declared.subject):
                sent_calls.append(draft.send(declared))
        elif declared.kind is CallKind.FOR_EACH_LISTED:
            for value in listed_values(declared, draft.calls, draft.facts.listed):
                single = declared.with_subject(value, tool_schema.rules_document)
                sent_calls.append(draft.send(single))
        elif declared.kind is CallKind.FOR_FITTING_FILES:
            # An environment declares at most one such call.
            documents = _unread_documents(draft, declared)
    return SentReads(sent_calls, documents)


def _unread_documents(draft: MessageDraft, declared: DeclaredCall) -> ListedDocuments:
    """Return the files of a call's listing, except those that were read before.

    read each file of `find(root="/docs")`, of which `/docs/a.md` was read
        -> ListedDocuments(read, root="/docs", paths=("/docs/b.md",))
    """
    listing = declared.listing
    assert listing is not None, "a call of this kind has a listing"
    values = listed_values(declared, draft.calls, draft.facts.listed)
    paths = [str(value) for value in values]
    unread = [path for path in paths if not draft.was_read(declared, path)]
    root = str(listing.arguments.get("root") or "/")
    return ListedDocuments(declared.operation, root, tuple(unread))
