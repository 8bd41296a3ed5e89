"""Sends the declared calls that read files, once it is known which files there are.

The *draft* is the first message to the model, as far as it is written. Calls such as `tree /` and
`read /RULES.md` were sent for it before. An environment may also declare:

| declared | what is done |
|---|---|
| `read /docs/a.md` | the call is sent, unless the file was read before |
| of `find /docs`, `read` the files that fit the request | the files are only listed |
| of `find /policies`, `read` each file | the files are listed, and a call is sent for each |
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.initial_calls.call_for_each import CallForEach
from controlplane.agent.initial_calls.declared_call import DeclaredCall
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
    """Send the calls that read files for every request, and list the files to choose from."""
    sent_calls: list[SentCall] = []
    documents = ListedDocuments()
    for declared in draft.batches.reads:
        if isinstance(declared, DeclaredCall):
            path = declared.subject
            if not draft.was_read(path, declared.operation):
                sent_calls.append(draft.send(declared))
        elif declared.is_for_fitting_files:
            # An environment declares at most one such call.
            documents = _unread_documents(draft, declared)
        else:
            listing = declared.listing
            for value in listed_values(listing, draft.calls, draft.facts.listed):
                sent_calls.append(draft.send(declared.call_for(value)))
    return SentReads(sent_calls, documents)


def _unread_documents(draft: MessageDraft, declared: CallForEach) -> ListedDocuments:
    """Return the files of a call's listing, except those that were read before.

    read each file of `find(root="/docs")`, of which `/docs/a.md` was read
        -> ListedDocuments(read, root="/docs", paths=("/docs/b.md",))
    """
    listing = declared.listing
    read = declared.operation
    paths = map(str, listed_values(listing, draft.calls, draft.facts.listed))
    unread = [path for path in paths if not draft.was_read(path, read)]
    root = str(listing.arguments.get("root") or "/")
    return ListedDocuments(read, root, tuple(unread))
