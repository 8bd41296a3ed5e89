"""Groups the texts of a call's result by their file and by how far they are trusted.

A search for `GB33` may return a thousand lines: some of a mail, which is running text (prose),
and some of a data file, whose fields are records. So there are two groups, and each becomes one
`KnownText`. Within a group, the same numbers count (`small_numbers.py`).
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
) -> Iterable[KnownText]:
    """Return one known text for each file and origin in a result, with all its texts.

    A search finds two lines of a mail, and two fields of a data file:

    | file | text | returned |
    |---|---|---|
    | `/mail/7.md` | `Pay 420 to GB33...`, and `Thanks, Ann` | one known text, `PROSE` |
    | `/loans.json` | the fields `GB33...` and `420` | another one, `RECORD` |

    `origin` is that of all texts. With None, the form of each text decides, as in the table.
    Texts without a file are at `place`. `passed_keys` are the keys of the values that the call
    itself passed, such as `gb33`. They do not count: the result may only repeat them.
    """
    keys = tuple(passed_keys)
    groups: dict[tuple[Origin, str, SmallNumbers], KnownText] = {}
    for text in texts:
        text_origin = _origin_by_form(text) if origin is None else origin
        small_numbers = _small_numbers_in(text, text_origin)
        group = (text_origin, text.path, small_numbers)
        if group not in groups:
            groups[group] = KnownText(
                text.path or place,
                text_origin,
                path=text.path,
                small_numbers=small_numbers,
                passed_keys=keys,
            )
        groups[group].parts.append(text.text)
    return groups.values()


def _origin_by_form(text: ResultText) -> Origin:
    """Return `RECORD` for a field of data, and `PROSE` for any other text (running text)."""
    return Origin.RECORD if text.is_data else Origin.PROSE


def _small_numbers_in(text: ResultText, origin: Origin) -> SmallNumbers:
    """Return which numbers of one or two digits count in a text.

    | text | counts | does not count |
    |---|---|---|
    | running text, `PROSE` | the 13 of `delete 13` | the 40 of `40%` |
    | a field of a `RECORD` | the id `7` | the 13 of `Room 13` |
    | any other, such as a rule | all | |
    """
    if origin is Origin.PROSE:
        return SmallNumbers.STANDALONE
    if origin is Origin.RECORD and text.is_data:
        return SmallNumbers.WHOLE_FIELD
    return SmallNumbers.ALL
