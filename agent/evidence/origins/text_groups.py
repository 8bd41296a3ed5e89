"""Groups the texts of a call's result by their file and their origin.

A search for `GB33` may return a thousand lines, of a mail, which is running text (prose), and of
a data file, whose fields are records. These are two groups, and each becomes a `KnownText`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from controlplane.agent.evidence.origins.known_text import KnownText, PassedKeys
from controlplane.agent.evidence.origins.origin import (
    ORIGIN_BY_FORM,
    Origin,
    SharedOrigin,
)
from controlplane.agent.evidence.texts.result_texts import ResultText


def joined_texts(
    texts: Iterable[ResultText],
    place: str,
    origin: SharedOrigin,
    passed_keys: Collection[str],
) -> Iterable[KnownText]:
    """Return one known text for each file and origin in a result, with all its texts.

    A search finds two lines of a mail, and two fields of a data file. With `ORIGIN_BY_FORM`:

    | file | text | group |
    |---|---|---|
    | `/mail/7.md` | `Pay 420 to GB33...` | 1: `PROSE` |
    | `/mail/7.md` | `Thanks, Ann` | 1: `PROSE` |
    | `/loans.json` | `GB33...` (a field) | 2: `RECORD`, fields |
    | `/loans.json` | `420` (a field) | 2: `RECORD`, fields |

    With an `origin`, all texts have this one. Messages say that texts without a file are at
    `place`. `passed_keys` are the keys of the values that the call itself passed, such as the
    words of the search: they do not count as values of the result.
    """
    passed = PassedKeys.of(passed_keys)
    groups: dict[tuple[Origin, str, bool], KnownText] = {}
    for text in texts:
        text_origin = _origin_of_text(text, origin)
        # A trusted result may also have running text that counts as a record. It is a group
        # apart from the fields, since small numbers in it have keys (`KnownText.numeric_keys`).
        is_field = text.is_data and text_origin is Origin.RECORD
        group = (text_origin, text.path, is_field)
        if group not in groups:
            groups[group] = KnownText(
                text.path or place,
                text_origin,
                path=text.path,
                is_field=is_field,
                passed=passed,
            )
        groups[group].parts.append(text.text)
    return groups.values()


def _origin_of_text(text: ResultText, origin_of_result: SharedOrigin) -> Origin:
    """Return the origin of one text of a result.

    This is the origin of the whole result. If that is `ORIGIN_BY_FORM`, the form of the text
    decides: a field of data is a record, and any other text is running text (prose).
    """
    if origin_of_result is not ORIGIN_BY_FORM:
        return origin_of_result
    if text.is_data:
        return Origin.RECORD
    return Origin.PROSE
