"""Groups the texts of a call's result by their file and their origin.

A search for `GB33` may return a thousand lines: some of a mail, which is running text (prose),
and some of a data file, whose fields are records. So there are two groups, and each becomes one
`KnownText`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from controlplane.agent.evidence.origins.known_text import KnownText
from controlplane.agent.evidence.origins.origin import Origin
from controlplane.agent.evidence.texts.result_texts import ResultText


def grouped_texts(
    texts: Iterable[ResultText],
    place: str,
    origin: Origin | None,
    passed_keys: Collection[str],
) -> Iterable[KnownText]:
    """Return one known text for each file and origin in a result, with all its texts.

    A search finds two lines of a mail, and two fields of a data file:

    | file | text | group |
    |---|---|---|
    | `/mail/7.md` | `Pay 420 to GB33...` | 1: `PROSE` |
    | `/mail/7.md` | `Thanks, Ann` | 1: `PROSE` |
    | `/loans.json` | `GB33...` (a field) | 2: `RECORD`, fields |
    | `/loans.json` | `420` (a field) | 2: `RECORD`, fields |

    `origin` is that of all texts. If it is None, the form of each text decides, as in the
    table. Texts without a file are at `place`. `passed_keys` are values that do not count,
    because the call itself passed them: `gb33`, which all spellings of `GB33` share.
    """
    keys = tuple(passed_keys)
    groups: dict[tuple[Origin, str, bool], KnownText] = {}
    for text in texts:
        text_origin = _origin_by_form(text) if origin is None else origin
        # All texts of a trusted result are records. Its running text is a group apart from its
        # fields, because the 13 of `delete 13` counts in it, and in a field it does not.
        is_field = text.is_data and text_origin is Origin.RECORD
        group = (text_origin, text.path, is_field)
        if group not in groups:
            groups[group] = KnownText(
                text.path or place,
                text_origin,
                path=text.path,
                is_field=is_field,
                passed_keys=keys,
            )
        groups[group].parts.append(text.text)
    return groups.values()


def _origin_by_form(text: ResultText) -> Origin:
    """Return `RECORD` for a field of data, and `PROSE` for any other text (running text)."""
    return Origin.RECORD if text.is_data else Origin.PROSE
