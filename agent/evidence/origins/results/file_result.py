"""Reads the result of a call that has read a file, such as `read("/mail/7.md")`.

    {"path": "/mail/7.md", "content": "Please pay 420 to GB33...", "title": "Rent"}

The content is the file's text, here running text, because a mail is not data. Other fields, such as
the title, are data about the file.
"""

from __future__ import annotations

from controlplane.agent.evidence.log.evidence_log import EvidenceLog
from controlplane.agent.evidence.origins.origin import Origin
from controlplane.agent.evidence.origins.results.result_content import ResultContent
from controlplane.agent.evidence.origins.results.result_fields import text_fields
from controlplane.agent.evidence.texts.data_texts import texts_of_data, texts_of_file
from controlplane.agent.evidence.texts.result_text import ResultText
from controlplane.agent.evidence.texts.returned_call import ReturnedCall


def read_file(
    call: ReturnedCall, evidence_log: EvidenceLog, origin: Origin | None
) -> ResultContent | None:
    """Return what a read of a file says. None if the trial itself wrote the file.

    `evidence_log` knows what the trial wrote, and the spelling in which listings show a path.
    With the `origin` None, the form of each text decides how far it is trusted.
    """
    path = call.requested_path
    if evidence_log.is_own(path):
        return None
    listed_path = evidence_log.listed_path(path)
    text_field = call.declared.json_field or "content"
    texts: list[ResultText] = []
    for name, value in text_fields(call.result).items():
        if name == text_field and isinstance(value, str):
            texts += texts_of_file(listed_path, value)
        elif name != "path":
            texts += texts_of_data({name: value})
    # There is a file at this path, so the path is a value that the call has found.
    return ResultContent(listed_path, texts, origin, found_values=[path])
