"""Adds the result or the error of each call to what a trial knows of origins.

After `get_account(owner="Bob")` -> `{"owner": "Bob", "iban": "GB33..."}`, a call
`send_money(recipient="GB33...")` has the account from a field of data, which is trusted. The
result says nothing about the name: `Bob` may only repeat the argument.
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

        `no file /GB33...` only repeats the argument of `read("/GB33...")`, so the values that
        the call has passed do not count.
        """
        self.provenance.add(
            f"the error of {call.declared.name}",
            [ResultText(message, is_data=False)],
            Origin.PROSE,
            passed_keys=keys_of_all(call.record.arguments.values()),
        )

    def _add_content(self, call: ReceivedCall, content: ResultContent) -> None:
        """Add the texts of a result by their authors, and the values that it has found.

        The owner's are rules. Those of a script of the trial are left out: they prove nothing.
        """
        passed: tuple[str, ...] = ()
        if not content.confirms_arguments:
            # `search("GB33...")` may return `nothing found for GB33...`, which only repeats it.
            passed = keys_of_all(echoable_inputs(call.returned.arguments))
        place = content.place
        texts = texts_by_author(content, self.owner_files, self.evidence_log)
        self.provenance.add(place, texts.of_owner, Origin.RULES, passed_keys=passed)
        self.provenance.add(place, texts.of_anybody, content.origin, passed_keys=passed)
        if content.found_values:
            self.provenance.add_record(content.found_values, place)
