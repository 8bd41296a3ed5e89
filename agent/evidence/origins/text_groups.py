"""Groups the texts of a call's result by their file and their origin.

A search for `GB33` may return a thousand lines, of a mail, which is running text (prose), and of
a data file, whose fields are records. These are two groups, and each becomes a `KnownText`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from controlplane.agent.evidence.origins.known_text import KnownText
from controlplane.agent.evidence.origins.origin import ORIGIN_BY_FORM, Origin
from controlplane.agent.evidence.origins.values.value_keys import (
    is_phrase,
)
from controlplane.agent.evidence.texts.result_texts import ResultText


def joined_texts(
    texts: Iterable[ResultText],
    place: str,
    origin: Origin | None,
    passed_keys: Collection[str],
) -> Iterable[KnownText]:
    """Return one known text for each file and origin in a result, with all its texts.

    With `ORIGIN_BY_FORM`, a field of data is a record, and any other text is running text
    (prose). Messages say that texts without a file are at `place`. `passed_keys` are the keys
    of the values that the call itself passed, such as the words of the search: they do not
    count as values of the result.
    """
    all_passed = frozenset(passed_keys)
    passed_phrases = tuple(filter(is_phrase, passed_keys))
    groups: dict[tuple[Origin, str, bool], KnownText] = {}
    for text in texts:
        if origin is ORIGIN_BY_FORM:
            text_origin = Origin.RECORD if text.is_data else Origin.PROSE
        else:
            text_origin = origin
        # Fields stand apart from other records, since their small numbers are read differently.
        is_field = text.is_data and text_origin is Origin.RECORD
        group = (text_origin, text.path, is_field)
        if group not in groups:
            groups[group] = KnownText(
                text.path or place,
                text_origin,
                path=text.path,
                is_field=is_field,
                passed_keys=all_passed,
                passed_phrases=passed_phrases,
            )
        groups[group].parts.append(text.text)
    return groups.values()
