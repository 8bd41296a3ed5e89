"""How much room a file needs in the first message, which shows the files that fit a request.

All files share a *room*, which the environment declares as `ToolSchema.ranked_chars`. Documents
(texts for all requests) matter more than records (about one case), so records are cut. With a
room of 10,000 characters, and `NamedFiles.each_chars=600`, a file of 5,000 characters needs:

| file | characters |
|---|---|
| a document | 5,160, with its title |
| a record that the request names | 4,000, a part of the room |
| another record | 600 |
"""

from __future__ import annotations

from typing import Final

from controlplane.agent.initial_calls.sections.cut_texts import shown_length
from controlplane.agent.retrieval.document_search.document_candidate import (
    DocumentCandidate,
)
from controlplane.agent.retrieval.file_candidate import Candidate
from controlplane.agent.retrieval.ranking_reasons import Reason
from controlplane.agent.retrieval.record_search.record_kinds import declared_records
from controlplane.sandbox.interface import ToolSchema

MAX_NAMED_RECORD_PART: Final = 0.4
"""The part of the room for all files that one named record may use."""
SECTION_CHARS: Final = 160
"""The characters that a file's title, and the note that its text is cut, take in the message."""


def needed_chars(candidate: Candidate, text: str, tool_schema: ToolSchema) -> int:
    """Return how many characters a file with this text takes if there is room for it."""
    whole_chars = shown_length(text) + SECTION_CHARS
    if isinstance(candidate, DocumentCandidate):
        return whole_chars
    if Reason.NAMED in candidate.reasons:
        max_chars = int(MAX_NAMED_RECORD_PART * tool_schema.ranked_chars)
    else:
        max_chars = declared_records(tool_schema).each_chars
    return min(whole_chars, max_chars)
