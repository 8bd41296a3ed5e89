"""Adds the result or the error of each call to what a trial knows of origins.

Later, the account of `send_money(recipient="GB33...")` is looked up there:

| text of a result | is added as |
|---|---|
| `{"owner": "Bob", "iban": "GB33..."}` of `get_account(owner="Bob")` | a record, without `Bob` |
| `Please pay 420 to GB33...` in a mail | running text, whose author may be an attacker |
| `Pay bills to GB33...` in a file by the workspace's owner | a rule |
| `{"iban": "GB33..."}` in a file by a script of the trial | nothing |

The call has passed `Bob`, and its result may only repeat this value. So it does not count.
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

    def add(self, call: ReceivedCall) -> None:
        """Add the texts of a call's result or error."""
        if call.record.error is not None:
            self._add_error(call, call.record.error.message)
        if call.record.result is not None:
            content = self.reader.read(call)
            if content is not None:
                # If the user replies “Yes, pay GB33...”, this confirms the value of the call.
                passed = () if content.confirms_arguments else call.echoable_keys
                self._add_content(content, passed)

    def _add_error(self, call: ReceivedCall, message: str) -> None:
        """Add the message of an error as running text. It may repeat the path: `no /GB33...`."""
        place = f"the error of {call.declared.name}"
        text = ResultText(message, is_data=False)
        passed = keys_of_all(call.record.arguments.values())
        self.provenance.add(place, [text], Origin.PROSE, passed_keys=passed)

    def _add_content(self, content: ResultContent, passed: tuple[str, ...]) -> None:
        """Add the texts of a result. Values whose keys were `passed` to the call do not count."""
        place = content.place
        texts = texts_by_author(content.texts, self.owner_files, self.evidence_log)
        rules = texts.of_owner
        if content.is_from_any_file and (texts.of_anybody or texts.of_trial):
            rules = []  # A program printed them with lines of a mail. Any may be from the mail.
        # `texts.of_trial` are left out: a script could write an account, to have it trusted.
        self.provenance.add(place, rules, Origin.RULES, passed_keys=passed)
        self.provenance.add(place, texts.of_anybody, content.origin, passed_keys=passed)
        if content.found_values:
            self.provenance.add_record(content.found_values, place)
