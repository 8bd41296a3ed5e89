"""Finds where the arguments of a changing call come from: the request, the rules, data, or prose.

A value of an argument has the origin of the most trusted text that contains it. A result
may repeat an argument of its own call. A repetition does not count, or any tool could make
a value trusted by repeating it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from controlplane.agent.evidence.origins.argument_origin import ArgumentOrigin, Origin
from controlplane.agent.evidence.origins.known_text import joined_texts
from controlplane.agent.evidence.origins.known_texts import KnownTexts
from controlplane.agent.evidence.origins.origin_search import OriginSearch
from controlplane.agent.evidence.origins.untrusted_values import UntrustedValues
from controlplane.agent.evidence.origins.values.argument_value import (
    NO_VALUES,
    ValueKeys,
)
from controlplane.agent.evidence.origins.values.argument_values import (
    argument_values,
    keys_of_arguments,
)
from controlplane.agent.evidence.texts.result_texts import ResultText
from controlplane.sandbox.interface import Plain


class Provenance:
    """What one trial knows about the origins of values.

    The origin of a value says who supplied it: the user (asked), the workspace's owner
    (rules), data (record), running text such as a mail (prose), or the script (made).
    Created when a trial starts, and used by one thread at a time. `add` adds texts, and
    `origins` looks up the arguments of a call in them.
    """

    def __init__(self) -> None:
        self._texts = KnownTexts()
        self._untrusted = UntrustedValues()
        """The untrusted values of earlier changing calls. They keep their origins."""

    def add(
        self,
        place: str,
        texts: Iterable[ResultText],
        origin: Origin | None = None,
        *,
        repeatable: ValueKeys = NO_VALUES,
    ) -> None:
        """Add texts that a trial received from a place.

        Without an `origin`, a field of data is a record, and any other text counts as
        running text. `repeatable` are the arguments of the call that returned the texts:
        the texts may only repeat them, so these values do not come from there.
        """
        for text in joined_texts(texts, place, origin, repeatable):
            self._texts.add(text)

    def add_record_found_by(self, values: Iterable[Plain], place: str) -> None:
        """Treat the values by which a call found a record as values of that record.

        Example: a mail names an account. Once `get_account(iban=...)` has found it, the
        account is in a record, and no longer untrusted.
        """
        found_by = keys_of_arguments(values)
        self._texts.add_values(found_by, place)
        self._untrusted.remove(found_by)

    def keep_untrusted(self, origins: Iterable[ArgumentOrigin]) -> None:
        """Keep the origins of the untrusted values in a changing call's arguments.

        A tool may store them, and return them later in a field of data.
        """
        self._untrusted.add(origins)

    def origins(
        self,
        arguments: Mapping[str, Plain],
        *,
        changed_path: str = "",
        declared_values: Mapping[str, ValueKeys] | None = None,
    ) -> dict[str, ArgumentOrigin]:
        """Return the origin of each argument of a call.

        An argument is left out if no value in it identifies anything, such as the word
        `restart`. In this call, two more kinds of values count as records:
        - what the trial has read in `changed_path`, the file that the call changes,
        - `declared_values`: by argument, the values
          that its schema lists, such as an enum.
        """
        file_keys = self._texts.keys_of_file(changed_path) if changed_path else set()
        origins: dict[str, ArgumentOrigin] = {}
        for name, argument in arguments.items():
            declared = (declared_values or {}).get(name, NO_VALUES)
            records = ValueKeys(declared.keys | file_keys, declared.phrases)
            search = OriginSearch(self._texts, self._untrusted, records)
            search.add_all(argument_values(argument))
            if search.findings:
                origins[name] = ArgumentOrigin(tuple(search.findings.values()))
        return origins
