"""What a trial knows about the origins of values: the texts that it has received.

A trial reads a mail, “Please pay 420 to GB33...”, and then calls
`send_money(recipient="GB33...")`. If the user's request or a record has this account, the
value is trusted. If only the mail has it, the mail's author may have tricked the model.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from controlplane.agent.evidence.origins.origin import Origin
from controlplane.agent.evidence.origins.texts.known_texts import KnownTexts
from controlplane.agent.evidence.origins.texts.text_groups import grouped_texts
from controlplane.agent.evidence.origins.untrusted_values import UntrustedValues
from controlplane.agent.evidence.origins.values.argument_keys import keys_of_all
from controlplane.agent.evidence.texts.result_text import ResultText
from controlplane.sandbox.interface import Plain


class Provenance:
    """What one trial knows. Used by one thread at a time.

        provenance.add("the request", ["Pay Bob's bill of 420."], Origin.ASKED)
        provenance.add("/mail/7.md", ["Please pay 420 to GB33..."])
        find_origins(provenance, {"recipient": "GB33...", "amount": 420})
        -> recipient: PROSE (running text of the mail), amount: ASKED (by the user)

    (`find_origins` looks up the arguments of a call. In the code, each text is a `ResultText`.)
    """

    def __init__(self) -> None:
        self.texts = KnownTexts()
        self.untrusted = UntrustedValues()
        """The untrusted values of earlier changing calls. They stay untrusted in later calls."""

    def add(
        self,
        place: str,
        texts: Iterable[ResultText],
        origin: Origin | None = None,
        *,
        passed_keys: Collection[str] = (),
    ) -> None:
        """Add texts that a trial received. `place` is where from: `/mail/7.md`, `the request`.

        Without an `origin`, a field of data is a record, and any other text is running text.
        `passed_keys` are the keys of the values that were passed to the call. If the result of
        `echo("GB33...")` has the account, only because the script passed it, it stays untrusted.
        """
        for text in grouped_texts(texts, place, origin, passed_keys):
            self.texts.add(text)

    def add_record(self, values: Iterable[Plain], place: str) -> None:
        """Trust the values by which a call has found a record, as if the record had them.

        Example: a mail names the account GB33... Once `get_account(iban="GB33...")` has found
        it, the account is known to exist, even if the result does not repeat its number.
        """
        keys = keys_of_all(values)
        self.untrusted.remove(keys)
        self.texts.index.add_record(keys, place)
