"""Adds the result or the error of each call to what a trial knows of origins.

A later call, `send_money(recipient="GB33...")`, may have the account from these texts: from a
field of data, which is trusted, or from running text, such as a mail or an error message,
which may be by anybody.
"""

from __future__ import annotations

from controlplane.agent.events import CallRecord
from controlplane.agent.evidence.origins.origin import Origin
from controlplane.agent.evidence.origins.provenance import Provenance
from controlplane.agent.evidence.origins.provenance_policy import ProvenancePolicy
from controlplane.agent.evidence.origins.results.call_result import CallResult
from controlplane.agent.evidence.origins.results.result_origins import ResultOrigins
from controlplane.agent.evidence.origins.values.argument_values import keys_of_all
from controlplane.agent.evidence.texts.call_arguments import CallArguments
from controlplane.agent.evidence.texts.call_text import ReturnedCall
from controlplane.agent.evidence.texts.result_texts import ResultText
from controlplane.sandbox.interface import Operation


class CallOutcomes:
    """Adds the outcomes of one trial's calls to its `provenance`.

    After `get_account(owner="Bob")` -> `{"owner": "Bob", "iban": "GB33..."}`, the account is
    known from a field of data. The name is not, because the call itself passed it.
    """

    def __init__(self, provenance: Provenance, results: ResultOrigins) -> None:
        self._provenance = provenance
        self._results = results
        """Adds results to `provenance`."""
        self._call_count = 0
        """How many calls were added. It names a result without a path: `call 3 of search`."""

    def add(
        self, declared: Operation, call: CallRecord, policy: ProvenancePolicy
    ) -> None:
        """Add the texts of a call's result or error.

        They may merely repeat values that the call passed: `search("GB33...")` has the result
        `nothing found for GB33...`. So these values do not count as values of the texts.
        `policy`, the user's setting, may declare that the results of an operation are trusted.
        """
        self._call_count += 1
        if call.error is not None:
            self._add_error(declared, call, call.error.message)
        if call.result is not None:
            arguments = CallArguments(declared, call.arguments)
            result = CallResult(
                call=ReturnedCall(declared, arguments, call.result),
                call_number=self._call_count,
                is_trusted=policy.trusts(declared),
                # Only inputs that this result may repeat: after `read(path, start_line=3)`,
                # a 3 in the text is from the file.
                passed_keys=keys_of_all(arguments.echoable_inputs),
                # `("owner",)` for `get_account(owner="Bob")`
                lookup_arguments=policy.lookup_arguments_of(declared),
            )
            self._results.add(result)

    def _add_error(self, declared: Operation, call: CallRecord, message: str) -> None:
        """Add the message of an error as running text (`PROSE`), because it may quote any text.

        It may also repeat any argument, such as the path of a file that does not exist. So no
        value of the arguments counts as a value of the message.
        """
        self._provenance.add(
            f"the error of {declared.name}",
            [ResultText(message, is_data=False)],
            Origin.PROSE,
            passed_keys=keys_of_all(call.arguments.values()),
        )
