"""Groups the texts of a call's result by their file, and by how far they are trusted.

A search for `GB33` may return a thousand lines: some of a mail, which is running text (prose), and
some of a data file, whose fields are records. Each group becomes one `KnownText`:

| file | texts | origin |
|---|---|---|
| `/mail/7.md` | `Pay 420 to GB33...`, `delete 13` | `PROSE` |
| `/loans.json` | the fields `GB33...` and `7` | `RECORD` |
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from controlplane.agent.evidence.origins.origin import Origin
from controlplane.agent.evidence.origins.texts.known_text import KnownText
from controlplane.agent.evidence.origins.values.keys import is_phrase
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
    call had as arguments: `gb33`. They do not count, since the result may only repeat them.
    """
    groups: dict[tuple[Origin, str, SmallNumbers], list[str]] = {}
    for text in texts:
        text_origin = origin
        if text_origin is None:
            text_origin = Origin.RECORD if text.is_data else Origin.PROSE
        small_numbers = _small_numbers_in(text_origin, is_data=text.is_data)
        group = groups.setdefault((text_origin, text.path, small_numbers), [])
        group.append(text.text)

    # A call may have many keys, and its result many groups, so the keys are not gone through for
    # each group.
    keys = frozenset(passed_keys)
    phrases = tuple(filter(is_phrase, passed_keys))
    known_texts: list[KnownText] = []
    for (group_origin, path, small_numbers), parts in groups.items():
        known = KnownText(
            place=path or place,
            origin=group_origin,
            parts=parts,
            path=path,
            small_numbers=small_numbers,
            passed_keys=keys,
            passed_phrases=phrases,
        )
        known_texts.append(known)
    return known_texts


def _small_numbers_in(origin: Origin, *, is_data: bool) -> SmallNumbers:
    """Return which numbers of one or two digits can be the source of an argument, such as 7.

    Most prose has such numbers by chance, so few of them count there.
    """
    if origin is Origin.PROSE:
        return SmallNumbers.STANDALONE  # the 13 of `delete 13`, but not the 40 of `40%`
    if origin is Origin.RECORD and is_data:
        return SmallNumbers.WHOLE_FIELD  # the id `7`, but not the 13 of `Room 13`
    return SmallNumbers.ALL  # all of the user's request: also the 40 of `40%`
