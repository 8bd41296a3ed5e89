"""Groups the texts of a call's result by their file and by how far they are trusted.

A search for `GB33` may return a thousand lines: some of a mail, which is running text (prose),
and some of a data file, whose fields are records. Each group becomes one `KnownText`:

| file | texts | origin | numbers of one or two digits that count |
|---|---|---|---|
| `/mail/7.md` | `Pay 420 to GB33...`, `delete 13` | `PROSE` | the 13, but not the 40 of `40%` |
| `/loans.json` | the fields `GB33...` and `7` | `RECORD` | the id `7`, not the 13 of `Room 13` |
| `/RULES.md` | `At most 30%` | `RULES` | all |
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from controlplane.agent.evidence.origins.origin import Origin
from controlplane.agent.evidence.origins.texts.known_text import KnownText
from controlplane.agent.evidence.origins.values.small_numbers import SmallNumbers
from controlplane.agent.evidence.texts.result_text import ResultText


def grouped_texts(
    texts: Iterable[ResultText],
    place: str,
    origin: Origin | None,
    passed_keys: Collection[str],
) -> list[KnownText]:
    """Return one known text for each group of a result, with all texts of the group.

    `origin` is that of all texts. With None, a field of data is a record, and any other text is
    prose. Texts without a file are at `place`. `passed_keys` are the keys of the values that the
    call itself passed, such as `gb33`. They do not count: the result may only repeat them.
    """
    parts: dict[tuple[Origin, str, SmallNumbers], list[str]] = {}
    for text in texts:
        text_origin = origin
        if text_origin is None:
            text_origin = Origin.RECORD if text.is_data else Origin.PROSE
        group = (text_origin, text.path, _small_numbers_in(text, text_origin))
        parts.setdefault(group, []).append(text.text)

    keys = tuple(passed_keys)
    known_texts: list[KnownText] = []
    for (group_origin, path, small_numbers), group_parts in parts.items():
        known = KnownText(
            place=path or place,
            origin=group_origin,
            parts=group_parts,
            path=path,
            small_numbers=small_numbers,
            passed_keys=keys,
        )
        known_texts.append(known)
    return known_texts


def _small_numbers_in(text: ResultText, origin: Origin) -> SmallNumbers:
    """Return which numbers of one or two digits count in a text. Most texts have some by chance."""
    if origin is Origin.PROSE:
        return SmallNumbers.STANDALONE
    if origin is Origin.RECORD and text.is_data:
        return SmallNumbers.WHOLE_FIELD
    return SmallNumbers.ALL
