"""Returns the forms in which a tool may repeat a text that a script passed to it.

An answer may only state what the trial has read. A script could cheat: it passes the code
`dmF1bHQ=` to a tool that decodes it, and cites the result, `vault`. But this word is the script's
own. To recognise such words in a result, what a script passes is brought into each form in which a
tool may return it: with escapes resolved or added, with parts joined, or decoded.
"""

from __future__ import annotations

import html
from typing import Final
from urllib.parse import unquote

from controlplane.agent.evidence.texts.forms.encoded_words import from_base64_and_hex
from controlplane.agent.evidence.texts.forms.escapes import as_json, without_escapes
from controlplane.agent.evidence.texts.forms.joined_parts import (
    JOINING_OPERATORS,
    joined,
)
from controlplane.agent.evidence.texts.forms.spelled_words import (
    from_character_codes,
    spelled_words,
)
from controlplane.gates.surrogates import encodable

MOST_DECODED_CHARS: Final = 100_000
"""The longest text, in characters, in which joined parts and codes are looked for. This is slow."""


def forms_of(text: str) -> list[str]:
    """Return every form in which a tool may repeat a text, each once, the text itself first.

    | a script passes     | a tool returns | found by                |
    | ------------------- | -------------- | ----------------------- |
    | `é`                 | `\\u00e9`      | `as_json`               |
    | `caf\\u00e9`        | `café`         | `without_escapes`       |
    | `R&amp;D`           | `R&D`          | `html.unescape`         |
    | `caf%C3%A9`         | `café`         | `unquote`               |
    | `['v', 'a', 't']`   | `vat`          | `spelled_words`         |
    | `old_vault`         | `old vault`    | `replace`               |
    | `'va' + 'ult'`      | `'vault'`      | `joined`                |
    | `118, 97, 116`      | `vat`          | `from_character_codes`  |
    | `dmF1bHQ=`          | `vault`        | `from_base64_and_hex`   |
    """
    # `encodable` replaces characters that UTF-8 and RE2 refuse: a half of a surrogate pair
    # without the other. A decoded form may have one even if the text has none.
    text = encodable(text)
    forms = [text, *as_json(text)]
    # Most texts have none of these signs, and so none of these forms.
    if "\\" in text:
        forms.append(without_escapes(text))
    if "&" in text:
        forms.append(html.unescape(text))
    if "%" in text:
        forms.append(unquote(text))
    forms += spelled_words(text)
    if "_" in text:
        forms.append(text.replace("_", " "))
    if len(text) <= MOST_DECODED_CHARS:
        if any(operator in text for operator in JOINING_OPERATORS):
            forms.append(joined(text))
        forms += from_character_codes(text)
        forms += from_base64_and_hex(text)

    distinct_forms = dict.fromkeys(encodable(form) for form in forms)
    return [form for form in distinct_forms if form]
