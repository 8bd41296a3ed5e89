"""Sends the calls that an environment declares for each request, for files not yet read.

A declared call reads one file, or each file of a listing: `read` each of `find /policies`.
A first batch of calls has been sent before. It lists the files.
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.initial_calls.declared_calls import (
    DeclaredCall,
    SentCall,
    declared_calls,
)
from controlplane.agent.initial_calls.file_reader import FileReader
from controlplane.agent.loop.initial_prompt.declared_results import DeclaredResults
from controlplane.agent.loop.initial_prompt.listed_values import listed_values
from controlplane.agent.retrieval.document_search.documents import ListedDocuments
from controlplane.sandbox.interface import Plain


@dataclass(frozen=True, slots=True)
class DeclaredReads:
    """The calls that were sent for declared calls, and the documents still to choose from."""

    sent_calls: list[SentCall]
    """The calls that read files for every request."""
    documents: ListedDocuments
    """The listed documents. Only those that fit the request are read."""


@dataclass(frozen=True, slots=True)
class UnreadFiles:
    """Finds the files of declared calls that no call of the trial has read."""

    results: DeclaredResults
    """Sends the calls, and knows those that were sent."""

    def send(self) -> DeclaredReads:
        """Send the declared calls for unread files, and list the documents to rank."""
        sent_calls: list[SentCall] = []
        documents = ListedDocuments()
        for declared in declared_calls(self.results.calls.tool_schema):
            if declared.is_ranked:
                documents = self._documents(declared)  # At most one call is ranked.
            else:
                sent_calls += self._send(declared)
        return DeclaredReads(sent_calls, documents)

    def _documents(self, declared: DeclaredCall) -> ListedDocuments:
        """Return the unread documents of a call's listing."""
        paths = [str(value) for value in self._values(declared)]
        unread = [path for path in paths if not self._was_read(declared, path)]
        root = str(declared.listing_arguments.get("root") or "/")
        return ListedDocuments(declared.operation, root, tuple(unread))

    def _send(self, declared: DeclaredCall) -> list[SentCall]:
        """Send a declared call; if it has a listing, one for each listed value.

        The environment gets no call twice: `results` knows those that were sent.
        """
        if declared.has_listing:
            return [
                self.results.send(declared.with_subject(value))
                for value in self._values(declared)
            ]
        is_unread_file = declared.is_read and not self._was_read(
            declared, declared.subject
        )
        return [self.results.send(declared)] if is_unread_file else []

    def _values(self, declared: DeclaredCall) -> list[Plain]:
        results = self.results
        return listed_values(declared, results.calls, results.facts.listed)

    def _was_read(self, declared: DeclaredCall, path: str) -> bool:
        reader = FileReader(self.results.calls, declared.operation)
        return reader.call_for(path) is not None
