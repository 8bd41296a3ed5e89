"""Sends those declared calls that read files, once it is known which files there are.

An environment declares calls such as "run `/bin/whoami`", "read `/RULES.md`" or "read each file
that `find /policies` lists". Calls that need no listing were sent before. Now the listings are
read, and the files in them. No file is read twice.
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.initial_calls.declared_call import DeclaredCall, SentCall
from controlplane.agent.initial_calls.declared_calls import declared_calls
from controlplane.agent.initial_calls.file_reader import FileReader
from controlplane.agent.loop.initial_prompt.declared_results import DeclaredResults
from controlplane.agent.loop.initial_prompt.listed_values import listed_values
from controlplane.agent.retrieval.document_search.documents import ListedDocuments
from controlplane.sandbox.interface import Plain


@dataclass(frozen=True, slots=True)
class SentReads:
    """The calls that read files for every request, and the files to choose from."""

    sent_calls: list[SentCall]
    """They may still run."""
    documents: ListedDocuments
    """Files of which only those that fit the request are read later."""


@dataclass(frozen=True, slots=True)
class DeclaredReads:
    """Sends the calls that an environment declares to read files for the first message.

    It declares, for example, "read `/RULES.md`", or "read each file that `find /policies`
    lists". No file is read twice.
    """

    results: DeclaredResults
    """Sends the calls, and knows those that were sent."""

    def send(self) -> SentReads:
        """Send the calls that read files for every request, and list the files to choose from."""
        sent_calls: list[SentCall] = []
        documents = ListedDocuments()
        for declared in declared_calls(self.results.calls.tool_schema):
            if declared.is_ranked:
                # "Read those files of a listing that fit the request." An environment
                # declares at most one such call.
                documents = self._unread_documents(declared)
            elif declared.has_listing:
                # "Read each file of a listing."
                sent_calls += self._send_for_each(declared)
            elif declared.is_read and not self._was_read(declared, declared.subject):
                # "Read this file."
                sent_calls.append(self.results.send(declared))
            # Other calls were sent before, or ask a tool for its help text later.
        return SentReads(sent_calls, documents)

    def _unread_documents(self, declared: DeclaredCall) -> ListedDocuments:
        """Return the files of a call's listing, except those that were read before."""
        paths = [str(value) for value in self._listed_values(declared)]
        unread = [path for path in paths if not self._was_read(declared, path)]
        root = str(declared.listing_arguments.get("root") or "/")
        return ListedDocuments(declared.operation, root, tuple(unread))

    def _send_for_each(self, declared: DeclaredCall) -> list[SentCall]:
        """Send a call for each value of its listing, usually the path of a file.

        `InitialCalls` does not send a call again that was sent before.
        """
        sent_calls: list[SentCall] = []
        for value in self._listed_values(declared):
            sent_calls.append(self.results.send(declared.with_subject(value)))
        return sent_calls

    def _listed_values(self, declared: DeclaredCall) -> list[Plain]:
        """Return the values of a call's listing, usually the paths of files."""
        results = self.results
        return listed_values(declared, results.calls, results.facts.listed)

    def _was_read(self, declared: DeclaredCall, path: str) -> bool:
        """Return True if a call that was sent before reads this file."""
        reader = FileReader(self.results.calls, declared.operation)
        return reader.call_for(path) is not None
