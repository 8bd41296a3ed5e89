"""Shows the files that fit a request in the first message, and the help texts of tools.

For "Renew my loan l-7":

| step | finds | because |
|---|---|---|
| 1 | `/loans/l-7.json`, `/docs/renewals.md` | the request has its id; shares the most words |
| 2 | `/bin/renew --help` | the best document, `/docs/renewals.md`, names this tool |
| 3 | `/docs/fees.md` | the best document names it |
"""

from __future__ import annotations

from contextlib import closing

from controlplane.agent.events import RankedFile
from controlplane.agent.loop.initial_prompt.declared_reads import SentReads
from controlplane.agent.loop.initial_prompt.message_draft import MessageDraft
from controlplane.agent.loop.initial_prompt.shown_results import learn_and_show
from controlplane.agent.loop.initial_prompt.tool_helps import (
    is_help_needed,
    send_help_calls,
)
from controlplane.agent.retrieval.file_finder import find_files
from controlplane.agent.retrieval.selection.files_left_out import files_left_out
from controlplane.agent.retrieval.selection.journal_rows import journal_rows
from controlplane.agent.retrieval.selection.shown_files import show_best_files
from controlplane.sandbox.files.word_ranking import WordRanking


def show_fitting_files(draft: MessageDraft, reads: SentReads) -> tuple[RankedFile, ...]:
    """Show files and help texts, and return for the journal how well each file fits.

    `draft` sends calls and shows their results. `reads` are calls that read files for every
    request. They still run, and are shown first.
    """
    with closing(WordRanking()) as ranking:  # an index of words in memory
        # 1. Find files and begin to read them: `found.documents` and records. Meanwhile, show those
        #    that every request gets, and learn facts from them, such as who asks.
        found = find_files(draft.calls, draft.facts, reads.documents, ranking)
        for sent in reads.sent_calls:
            learn_and_show(draft, sent)

        # 2. Rank the documents. The best one may name tools, which are asked for their help
        #    texts. Without documents, nothing says which tools are needed, so all are asked.
        ranked = found.documents.rank()
        are_documents_listed = bool(reads.documents.paths)
        help_calls = send_help_calls(
            draft, ranked.best_text, to_all=not are_documents_listed
        )

        # 3. The best document may also name documents. `read_linked` reads them into
        #    `found.documents`. Rank again with their texts, and show the best of all files.
        found.documents.read_linked(ranked)
        ranked_again = found.documents.rank()
        candidates = found.best_first(ranked_again)
        shown_chars = show_best_files(candidates, draft.calls, draft.writer)
        left_out = files_left_out(candidates, shown_chars, reads.documents.root)
        if left_out:
            draft.writer.say(left_out)  # "(Not shown: 2 documents of /docs.)"

        # 4. Show the help texts that the model still needs.
        best_text = ranked_again.best_text
        for sent in help_calls:
            if is_help_needed(draft, sent, best_text):
                learn_and_show(draft, sent)
        return journal_rows(candidates, shown_chars)
