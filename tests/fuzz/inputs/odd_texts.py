"""Texts that programs often treat wrongly, for the fuzzer: empty, huge, nested, or of odd characters."""

WORDS = [
    "a",
    "id",
    "status",
    "lines",
    "sku",
    "OUTCOME_OK",
    "checked_out",
    "2026-01-01T00:00:00Z",
    "/AGENTS.MD",
    "-0.0",
]
"""Words as they stand in files, records and answers of a shop."""


ODD_TEXTS = [
    # Empty, white space, control characters
    "",
    " ",
    "\x00",
    "\n",
    "\r\n",
    "a\tb",
    "\x1b[31m",
    # Characters of Unicode: a line separator, a byte order mark, one that turns the direction of
    # writing, halves of surrogate pairs, an emoji of several characters
    "\u2028",
    "\ufeff",
    "\u202e",
    "\ud800",
    "\ud83d",
    "\U0001f469\u200d\U0001f680",
    # Characters whose normal form, lower case or upper case is longer or shorter
    "e\u0301",
    "İ",
    "ß",
    "ſ",
    "𝟘" * 80,
    "ﷺ" * 200,
    "\u0300" * 400,
    # Long, or deeply nested
    "a" * 300,
    "[" * 500,
    "{" * 300,
    '{"a":' * 200,
    "../" * 40,
    "/" * 50,
    "a/" * 120,
    # Numbers beyond what JSON or floats have
    "1" * 5_000,
    "1e999",
    "NaN",
    "-Infinity",
    "0x7fff",
    # Characters and texts that mean something in code, URLs, SQL or templates
    "\\",
    '"',
    "'",
    "`",
    "#",
    "?",
    "%00",
    "$(id)",
    "<COUNT:%d>",
    "__class__",
    "; drop table products; --",
]
"""Texts that programs often treat wrongly."""
