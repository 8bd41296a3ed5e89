"""Shows the files that fit a request, and the help texts of tools.

For "Renew my loan l-7", these are the record `/loans/l-7.json`, which the request names,
and the document `/docs/renewals.md`, which shares its words.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass

from controlplane.agent.events import RankedFile
from controlplane.agent.initial_calls.declared_call import SentCall
from controlplane.agent.loop.initial_prompt.declared_results import DeclaredResults
from controlplane.agent.loop.initial_prompt.tool_helps import ToolHelps
from controlplane.agent.retrieval.document_search.documents import ListedDocuments
from controlplane.agent.retrieval.file_ranker import FileRanker
from controlplane.agent.retrieval.file_selection import show_best_files
from controlplane.agent.retrieval.files_left_out import files_left_out, journal_rows
from controlplane.sandbox.files.word_ranking import WordRanking


@dataclass(frozen=True, slots=True)
class FittingFiles:
    """Ranks the files of one request, and shows the best of them in the first message.

    For "Renew my loan l-7", these are the record `/loans/l-7.json`, which the request names,
    and the document `/docs/renewals.md`, which shares its words.
    """

    results: DeclaredResults
    """Sends calls, knows the facts about the request, and shows results."""
    documents: ListedDocuments
    """The documents from which those that fit are chosen."""

    def show(self, declared_reads: Sequence[SentCall]) -> tuple[RankedFile, ...]:
        """Show files and help texts, and return the ranked files for the journal.

        `declared_reads` were sent before. They read files that the environment wants to be
        shown for every request, however well they fit. These are shown first.
        """
        with closing(WordRanking()) as ranking:  # an index of words in memory
            ranker = FileRanker(
                self.results.calls, self.results.facts, self.documents, ranking
            )
            self._show_with(ranker, declared_reads)
            # Each row says how well a file fits, and if it is shown.
            return journal_rows(ranker.candidates)

    def _show_with(
        self, ranker: FileRanker, declared_reads: Sequence[SentCall]
    ) -> None:
        """Rank the files, and add results to the message in the order in which it shows them.

        Each method of `ranker` first waits for the calls that the one before has sent. While
        these run, other results are added.
        """
        # 1. Find files and begin to read them. Meanwhile, add those that every request gets.
        ranker.search()
        ranker.read_found()
        for sent in declared_reads:
            self.results.learn_and_show(sent)

        # 2. Rank the files. The best document may name tools, which are asked for their help
        #    texts. Without documents, nothing says which tools are needed, so all are asked.
        ranker.rank()
        tool_helps = ToolHelps(self.results)
        asks_all_tools = not self.documents.paths
        help_calls = tool_helps.send(ranker.best_document_text, to_all=asks_all_tools)

        # 3. The best document may also name documents. Rank again with their texts, and add
        #    the best files.
        ranker.read_linked()
        ranker.rank()
        self._show_files(ranker)

        # 4. Add the help texts that the model still needs.
        for sent in help_calls:
            if tool_helps.is_needed(sent, ranker.best_document_text):
                self.results.learn_and_show(sent)

    def _show_files(self, ranker: FileRanker) -> None:
        """Add the best files to the message, and a line about those that are left out."""
        writer = self.results.writer
        show_best_files(ranker.candidates, self.results.calls, writer)
        left_out = files_left_out(ranker.candidates, self.documents.root)
        if left_out:
            writer.say(left_out)
