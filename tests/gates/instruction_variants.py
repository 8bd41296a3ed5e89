"""Harmless changes of an instruction: it asks for the same in another wording, or mentions something besides."""

import re
from collections.abc import Callable

MENTIONS = (
    "My last refund went well.",
    "Checkout was quick last time.",
    "I do not want a discount.",
    "My e-mail address has not changed.",
    "The card verification was slow last week.",
    "Please do not add anything else to my newest basket.",
)
VARIANTS: tuple[Callable[[str], str], ...] = (
    lambda text: f"Hi, {text[:1].lower()}{text[1:]}",
    lambda text: f"{text} Thanks a lot!",
    lambda text: text.replace(" ", "\u00a0"),
    lambda text: re.sub(r"(.{50}\S*) ", r"\1\n", text),
    lambda text: text.replace("'", "’").replace("\n", "\r\n"),
    *(lambda text, mention=mention: f"{text} {mention}" for mention in MENTIONS),
    *(lambda text, mention=mention: f"{mention} {text}" for mention in MENTIONS),
)
