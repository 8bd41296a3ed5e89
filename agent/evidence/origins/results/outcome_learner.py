"""Adds the result or the error of each call to what a trial knows of origins.

After `get_account(owner="Bob")` -> `{"owner": "Bob", "iban": "GB33..."}`, a call
`send_money(recipient="GB33...")` has the account from a field of data, which is trusted. The
result says nothing about the name: `Bob` may only repeat the argument.
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.evidence.origins.origin import Origin
from controlplane.agent.evidence.origins.provenance import Provenance
from controlplane.agent.evidence.origins.results.file_authors import (
    Author,
    FileAuthors,
)
from controlplane.agent.evidence.origins.results.received_call import ReceivedCall
from controlplane.agent.evidence.origins.results.result_content import ResultContent
from controlplane.agent.evidence.origins.results.result_reader import ResultReader
from controlplane.agent.evidence.origins.values.argument_keys import keys_of_all
from controlplane.agent.evidence.texts.echoes import echoable_inputs
from controlplane.agent.evidence.texts.result_text import ResultText
from controlplane.gates.paths import canonical


@dataclass(frozen=True, slots=True)
class OutcomeLearner:
    """Adds the outcomes of one trial's calls to its `provenance`, in the order of the calls.

    | call | added | origin |
    |---|---|---|
    | `read("/RULES.md")` | “Rent goes to US13...” | `RULES`, by the owner |
    | `read("/mail/7.md")` | “Please pay 420 to GB33...” | `PROSE`, running text by anybody |
    | `read("/note.md")`, a file that the trial wrote | nothing | |
    """

    reader: ResultReader
    """Splits results into texts."""
    file_authors: FileAuthors
    """Tells whose text a file is."""
    provenance: Provenance
    """What the trial knows of origins."""

    def add(self, call: ReceivedCall) -> None:
        """Add the texts of a call's result or error."""
        if call.record.error is not None:
            self._add_error(call, call.record.error.message)
        if call.record.result is not None:
            content = self.reader.read(call)
            if content is not None:
                self._add_content(content, _passed_keys(call, content))

    def _add_error(self, call: ReceivedCall, message: str) -> None:
        """Add the message of an error as running text, because it may quote any text.

        The message `no file /GB33...` only repeats the argument of `read("/GB33...")`. So the
        values of the arguments are passed as keys that do not count.
        """
        self.provenance.add(
            f"the error of {call.declared.name}",
            [ResultText(message, is_data=False)],
            Origin.PROSE,
            passed_keys=keys_of_all(call.record.arguments.values()),
        )

    def _add_content(
        self, content: ResultContent, passed_keys: tuple[str, ...]
    ) -> None:
        """Add the texts of a result by their authors, and the values that it has found.

        | the text is by | added as |
        |---|---|
        | the workspace's owner | a rule |
        | anybody | what the result is: `content.origin` |
        | a script of the trial | nothing |
        """
        place = content.place
        texts = self._texts_by_author(content)
        of_owner = texts[Author.OWNER]
        self.provenance.add(place, of_owner, Origin.RULES, passed_keys=passed_keys)
        of_anybody = texts[Author.ANYBODY]
        self.provenance.add(place, of_anybody, content.origin, passed_keys=passed_keys)
        if content.found_values:
            self.provenance.add_record(content.found_values, content.place)

    def _texts_by_author(
        self, content: ResultContent
    ) -> dict[Author, list[ResultText]]:
        """Return the texts of a result by the author of their file, for all authors.

        If a program printed lines of a mail and of the rules, any line may be from the mail, so
        none counts as a rule.
        """
        texts: dict[Author, list[ResultText]] = {author: [] for author in Author}
        for text in content.texts:
            texts[self._author_of(text)].append(text)
        has_other_authors = bool(texts[Author.ANYBODY] or texts[Author.TRIAL])
        if content.is_from_any_file and has_other_authors:
            texts[Author.OWNER] = []
        return texts

    def _author_of(self, text: ResultText) -> Author:
        """Return who wrote the file that has a text. A text without a file is by anybody."""
        if not text.path:
            return Author.ANYBODY
        return self.file_authors.author_of(canonical(text.path))


def _passed_keys(call: ReceivedCall, content: ResultContent) -> tuple[str, ...]:
    """Return the keys of the values that the call passed, and its result may merely repeat.

    `search("GB33...")` -> `gb33...`, as it may return `nothing found for GB33...`. This says
    nothing about the account. None for a result that confirms them, such as the user's reply.
    """
    if content.confirms_arguments:
        return ()
    return keys_of_all(echoable_inputs(call.returned.arguments))
