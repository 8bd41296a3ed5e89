"""Adds the result or the error of each call to what a trial knows of origins.

After `get_account(owner="Bob")` -> `{"owner": "Bob", "iban": "GB33..."}`, a call
`send_money(recipient="GB33...")` has the account from a field of data, which is trusted. The
result says nothing about the name: `Bob` may only repeat the argument.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from controlplane.agent.events import CallRecord
from controlplane.agent.evidence.origins.origin import Origin
from controlplane.agent.evidence.origins.provenance import Provenance
from controlplane.agent.evidence.origins.provenance_policy import ProvenancePolicy
from controlplane.agent.evidence.origins.results.file_authors import (
    Author,
    FileAuthors,
)
from controlplane.agent.evidence.origins.results.result_content import ResultContent
from controlplane.agent.evidence.origins.results.result_reader import ResultReader
from controlplane.agent.evidence.origins.values.argument_values import keys_of_all
from controlplane.agent.evidence.texts.call_text import ReturnedCall
from controlplane.agent.evidence.texts.result_texts import ResultText
from controlplane.gates.paths import canonical
from controlplane.sandbox.interface import Operation


@dataclass(slots=True)
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
    _call_count: int = field(default=0, init=False)
    """How many calls were added. It names a result without a path: `call 3 of search`."""

    def add(
        self, declared: Operation, call: CallRecord, policy: ProvenancePolicy
    ) -> None:
        """Add the texts of a call's result or error. `policy` is the user's setting."""
        self._call_count += 1
        if call.error is not None:
            self._add_error(declared, call, call.error.message)
        if call.result is None:
            return
        returned = ReturnedCall.of(declared, call.arguments, call.result)
        content = self.reader.read(returned, self._call_count, policy)
        if content is None:
            return
        # A result may repeat the words of a search. But after `read(path, start_line=3)`, a 3
        # in the text is from the file.
        passed_keys: tuple[str, ...] = ()
        if not content.confirms_arguments:
            passed_keys = keys_of_all(returned.arguments.echoable_inputs)
        self._add_content(content, passed_keys)

    def _add_content(
        self, content: ResultContent, passed_keys: tuple[str, ...]
    ) -> None:
        """Add the texts of a result by the authors of their files, and the found values.

        `passed_keys` are the keys of the values that the call itself passed. The texts may
        only repeat these values, so they do not count as values of the texts.
        """
        rule_texts: list[ResultText] = []
        other_texts: list[ResultText] = []
        for text in content.texts:
            match self._author_of(text):
                case Author.OWNER:
                    rule_texts.append(text)
                case Author.ANYBODY:
                    other_texts.append(text)
                case Author.TRIAL:
                    pass  # A script's own text says nothing.
        authors = {self._author_of(text) for text in content.texts}
        if content.is_from_any_file and authors != {Author.OWNER}:
            # A line of a mail must not count as one of the rules that were printed with it.
            rule_texts = []

        place = content.place
        self.provenance.add(place, rule_texts, Origin.RULES, passed_keys=passed_keys)
        self.provenance.add(place, other_texts, content.origin, passed_keys=passed_keys)
        if content.found_values:
            self.provenance.add_record(content.found_values, place)

    def _author_of(self, text: ResultText) -> Author:
        """Return who wrote the file that has a text. A text without a file is by anybody."""
        if not text.path:
            return Author.ANYBODY
        return self.file_authors.author_of(canonical(text.path))

    def _add_error(self, declared: Operation, call: CallRecord, message: str) -> None:
        """Add the message of an error as running text, because it may quote any text.

        It may also repeat any argument, such as the path of a file that does not exist. So no
        value of the arguments counts as a value of the message.
        """
        self.provenance.add(
            f"the error of {declared.name}",
            [ResultText(message, is_data=False)],
            Origin.PROSE,
            passed_keys=keys_of_all(call.arguments.values()),
        )
