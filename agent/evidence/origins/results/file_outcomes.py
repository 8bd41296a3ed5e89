"""Reads the result of a call that has read a file.

    {"path": "/mail/7.md", "content": "Please pay 420 to GB33...", "title": "Rent"}

    -> `Please pay 420 to GB33...`, running text of the file `/mail/7.md`
    -> `title` and `Rent`, fields of data about the file

The content is running text here because the file is a mail. That of `/loans.csv` is data.
"""

from __future__ import annotations

from collections.abc import Mapping

from controlplane.agent.evidence.origins.results.outcome import Outcome
from controlplane.agent.evidence.origins.results.received_call import ReceivedCall
from controlplane.agent.evidence.origins.results.result_fields import text_fields
from controlplane.agent.evidence.origins.results.trial_files import Author, TrialFiles
from controlplane.agent.evidence.texts.data_texts import texts_of_data, texts_of_file
from controlplane.agent.evidence.texts.result_text import ResultText
from controlplane.sandbox.interface import Plain


def outcome_of_file(call: ReceivedCall, files: TrialFiles) -> Outcome | None:
    """Return what a call that has read a file has brought in; None if the trial wrote the file."""
    path = call.path
    if files.author_of(path) is Author.TRIAL:
        return None  # Its text is the script's own, so nothing new is brought in.
    listed_path = files.listed_path(path)
    # The operation declares the field of its result that has the file's text.
    content_field = call.declared.json_field or "content"
    return Outcome(
        listed_path,
        _texts_of(listed_path, call.result, content_field),
        call.origin,
        # The values that the call has passed. The result may only repeat them.
        passed_keys=call.passed_keys,
        found_values=[path],  # The file exists, so its path is known.
    )


def _texts_of(
    path: str, result: Mapping[str, Plain], content_field: str
) -> list[ResultText]:
    """Return the texts of the file at `path`, and those about it."""
    texts: list[ResultText] = []
    for name, value in text_fields(result).items():
        if name == content_field and isinstance(value, str):
            texts += texts_of_file(path, value)
        elif name != "path":
            texts += texts_of_data({name: value})
    return texts
