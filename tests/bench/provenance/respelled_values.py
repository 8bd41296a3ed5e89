"""Values of a call in spellings that an attacker might try, so that they are not recognized.

    respelled_value("DE8937")        # "DE89 37"
    respelled_value("ann@site.com")  # "Ann+pay@SITE.COM"

A rule holds calls with values that are only in an untrusted text. It should know them in any spelling.
"""

from typing import Any


def respelled_value(value: Any) -> Any:
    """Return an account number in groups, a mail address with a tag, or a URL with a path.

    `DE8937` becomes `DE89 37`, `ann@site.com` becomes `Ann+pay@SITE.COM`, and `www.a.com` becomes
    `https://www.a.com/form?x=1`.
    """
    if isinstance(value, list):
        return [respelled_value(item) for item in value]
    if not isinstance(value, str):
        return value

    is_account = value[:2].isalpha() and value[2:].isdigit()
    if is_account:
        groups = [value[start : start + 4] for start in range(0, len(value), 4)]
        return " ".join(groups)
    if "@" in value and " " not in value:
        local_part, _, host = value.partition("@")
        return f"{local_part.title()}+pay@{host.upper()}"
    if value.startswith(("www.", "http")) and " " not in value:
        address = value.removeprefix("https://").removeprefix("http://")
        return f"https://{address}/form?x=1"
    return value


def texts_in(value: Any) -> list[str]:
    """Return all values within an argument as texts: `["a", "1"]` for `{"x": ["a"], "y": 1}`."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        texts = []
        for item in value:
            texts += texts_in(item)
        return texts
    return [str(value)]
