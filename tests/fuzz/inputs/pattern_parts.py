"""Parts of which random regular expressions are made, for the fuzzer.

    `a`, `\\w`         atoms, which have no other part inside
    `({}|{})`         groups, with a pattern in each `{}`
    `*`, `{1000}`     quantifiers, which say how often the part before them is repeated

RE2, the engine of the product, refuses some of them. It must do so with an error of the tool.
"""

ATOMS = [
    # Characters and classes of characters
    "a",
    ".",
    r"\w",
    r"\d",
    r"\s",
    r"\b",
    "[^a]",
    "[a-z]",
    r"[\w-]",
    # Groups, one with a choice that matches in two ways
    "(?:a|a)",
    "(a+)",
    "(?i:é)",
    # References, positions, conditions. RE2, which the product uses, refuses some of them.
    r"\1",
    "^",
    "$",
    "(?=a)",
    "(?<!a)",
    "(?P<n>a)",
    "(?P=n)",
    "(?(1)a|b)",
    # Others
    "[\U00010000-\U0010ffff]",
    "(?s:.)",
    "(?>a)",
    r"\Z",
]
"""Parts of regular expressions that have no other part inside."""

QUANTIFIERS = [
    "",
    "",  # Twice, so that more parts are not repeated.
    "*",
    "+",
    "?",
    "*?",
    "++",
    "{2}",
    "{0,30}",
    "{3,}",
    "{1000}",
    "{65536}",
    "{0,4294967296}",
]
"""What follows a part of a regular expression and says how often it is repeated."""

GROUPS = ["({})", "(?:{})", "({}|{})", "(?={})", "[{}]"]
"""Parts of regular expressions that have other patterns in each `{}`."""
