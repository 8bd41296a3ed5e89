"""Adds the result or the error of each call to what a trial knows of origins.

Later, `send_money(recipient="GB33...")` is looked up there: a person has to agree if the account is
only from running text, whose author may want to trick the model. So each text is added with how far
it is trusted:

| call | text of the result | added as |
|---|---|---|
| `get_account(owner="Bob")` | `{"owner": "Bob", "iban": "GB33..."}` | a record, without `Bob` |
| `read("/mail/7.md")` | `Please pay 420 to GB33...` | running text |
| `read("/RULES.md")`, by the owner | `Pay bills to GB33...` | a rule |
| `read("/note.md")`, by a script | `{"iban": "GB33..."}` | nothing |

`Bob` does not count: the call has passed this value, and its result may only repeat it.
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.evidence.log.evidence_log import EvidenceLog
from controlplane.agent.evidence.origins.origin import Origin
from controlplane.agent.evidence.origins.provenance import Provenance
from controlplane.agent.evidence.origins.results.owner_files import OwnerFiles
from controlplane.agent.evidence.origins.results.received_call import ReceivedCall
from controlplane.agent.evidence.origins.results.result_content import ResultContent
from controlplane.agent.evidence.origins.results.result_reader import ResultReader
from controlplane.agent.evidence.origins.results.texts_by_author import texts_by_author
from controlplane.agent.evidence.origins.values.argument_keys import keys_of_all
from controlplane.agent.evidence.texts.echoes import echoable_inputs
from controlplane.agent.evidence.texts.result_text import ResultText


@dataclass(frozen=True, slots=True)
class OutcomeLearner:
    """Adds the outcomes of one trial's calls to its `provenance`, in the order of the calls."""

    reader: ResultReader
    """Splits results into texts."""
    owner_files: OwnerFiles
    """Knows which files the workspace's owner wrote."""
    evidence_log: EvidenceLog
    """Knows which files the trial wrote."""
    provenance: Provenance
    """What the trial knows of origins."""

    def add(self, call: ReceivedCall) -> None:
        """Add the texts of a call's result or error."""
        if call.record.error is not None:
            self._add_error(call, call.record.error.message)
        if call.record.result is not None:
            content = self.reader.read(call)
            if content is not None:
                self._add_content(call, content)

    def _add_error(self, call: ReceivedCall, message: str) -> None:
        """Add the message of an error as running text, since it may quote any text.

        Values of all arguments are left out: `no file /GB33...` only repeats the path.
        """
        self.provenance.add(
            f"the error of {call.declared.name}",
            [ResultText(message, is_data=False)],
            Origin.PROSE,
            passed_keys=keys_of_all(call.record.arguments.values()),
        )

    def _add_content(self, call: ReceivedCall, content: ResultContent) -> None:
        """Add the texts of a result by their authors, and the values that it has found."""
        passed_keys: tuple[str, ...] = ()
        # If the user replies “Yes, pay GB33...”, the value is confirmed, and not only repeated.
        if not content.confirms_arguments:
            passed_keys = keys_of_all(echoable_inputs(call.returned.arguments))

        texts = texts_by_author(content.texts, self.owner_files, self.evidence_log)
        rules = texts.of_owner
        if content.is_from_any_file and (texts.of_anybody or texts.of_trial):
            rules = []  # A program printed them with lines of a mail. Any may be from the mail.
        # `texts.of_trial` are left out: a script could write an account, to have it trusted.
        place = content.place
        self.provenance.add(place, rules, Origin.RULES, passed_keys=passed_keys)
        self.provenance.add(
            place, texts.of_anybody, content.origin, passed_keys=passed_keys
        )
        if content.found_values:
            self.provenance.add_record(content.found_values, place)
