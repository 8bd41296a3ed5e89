"""The events of a run, with a text in place of theirs that tries to break out of an HTML page.

    with_hostile_texts({"type": "notice", "text": "hello"})
    ->    {"type": "notice", "text": HOSTILE_MARKUP}

A page that shows the run must show `HOSTILE_MARKUP` as a text, and neither run its scripts nor
load its images.
"""

from typing import Any

HOSTILE_MARKUP = "".join(
    [
        # Ends the elements that it may stand in, and begins some that run a script.
        "</script></style></title>",
        "<script>document.title='owned'</script>",
        "<img src=x onerror=\"document.title='owned'\">",
        "<svg onload=alert(1)>",
        # Ends attributes, and means something to templates, comments and links.
        "'\"`{{ 7*7 }}{% raw %}<!--]]>&lt;b&gt;javascript:alert(1)",
        # Turns the direction of the text, and has a null, an escape sequence, and a line end.
        "\u202etxt\x00\x1b[31m\u2028",
    ]
)

FIELDS_OF_THE_PRODUCT = (
    "type",
    "how",
    "now",
    "python",
    "result",
    "enforcement",
    "state",
)
"""Fields whose texts stay as they are, since only the product writes them: kinds or times."""

FIELDS_WITH_FREE_KEYS = ("arguments", "result", "scratchpad")
"""Fields whose value may be a dict with keys that a model or an environment chooses.

`result` is in both lists: of a verdict it is a text of the product ("reject"), of a call a dict.
"""


def with_hostile_texts(value: Any) -> Any:
    """Return an event's data with `HOSTILE_MARKUP` in place of each text from outside:

    {"text": "hello"}        -> {"text": HOSTILE_MARKUP}
    {"arguments": {"n": 1}}  -> {"arguments": {HOSTILE_MARKUP: HOSTILE_MARKUP, "n": 1}}
    """
    if isinstance(value, str):
        return HOSTILE_MARKUP
    if isinstance(value, list | tuple):
        return [with_hostile_texts(item) for item in value]
    if not isinstance(value, dict):
        return value

    changed = {}
    for name, field in value.items():
        if isinstance(field, str) and name in FIELDS_OF_THE_PRODUCT:
            changed[name] = field
        elif isinstance(field, dict) and name in FIELDS_WITH_FREE_KEYS:
            hostile_item = {HOSTILE_MARKUP: HOSTILE_MARKUP}
            changed[name] = hostile_item | with_hostile_texts(field)
        else:
            changed[name] = with_hostile_texts(field)
    return changed
