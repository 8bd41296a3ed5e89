"""Numbers in words: `spelled("EUR 4.5")` is "four point five"."""

DIGIT_NAMES = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
]


def spelled(value: str) -> str:
    """Return the digits and points of a value in words: "one two" for "basket-12"."""
    words = []
    for sign in value:
        if sign == ".":
            words.append("point")
        elif sign.isdigit():
            words.append(DIGIT_NAMES[int(sign)])
    return " ".join(words)
