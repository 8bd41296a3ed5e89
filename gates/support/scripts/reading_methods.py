"""The methods that only read their object: `rows.count(row)`, unlike `rows.append(row)`."""

from typing import Final

READING_METHODS: Final = frozenset({
    "as_tuple", "astimezone", "capitalize", "casefold", "center", "copy", "count", "date",
    "decode", "difference", "elements", "encode", "endswith", "expandtabs", "find", "findall",
    "finditer", "format", "fullmatch", "get", "group", "groupdict", "groups", "index",
    "intersection", "isalnum", "isalpha", "isdigit", "isdisjoint", "isnumeric", "isoformat",
    "issubset", "issuperset", "isupper", "items", "join", "json", "keys", "limit_denominator",
    "ljust", "lower", "lstrip", "match", "most_common", "partition", "pop", "popleft",
    "quantize", "removeprefix", "removesuffix", "replace", "rfind", "rindex", "rjust",
    "rpartition", "rsplit", "rstrip", "search", "sort", "split", "splitlines", "startswith",
    "strftime", "strip", "sub", "time", "timestamp", "title", "total", "total_seconds",
    "translate", "union", "upper", "values", "weekday", "zfill",
})  # fmt: skip
"""Methods that store none of their arguments in their object. Every other method may do so.

`pop` and `sort` change the object, but store no argument.
"""
