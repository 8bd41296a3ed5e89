"""Forms of a text from which a reader can still find out what it says.

base64_of("ada")        # "YWRh"
backwards("mila")       # "alim"
base32_of("ada")        # "MFSGC==="
hexadecimal("ada")      # "616461"
in_other_letters("ada") # "nqn": each letter 13 places on
url_escaped("ada")      # "%61%64%61"
"""

import base64
import codecs
import re


def base64_of(text: str) -> str:
    return base64.b64encode(text.encode()).decode().rstrip("=")


def backwards(text: str) -> str:
    return text[::-1]


def base32_of(text: str) -> str:
    return base64.b32encode(text.encode()).decode()


def hexadecimal(text: str) -> str:
    return text.encode().hex()


def in_other_letters(text: str) -> str:
    return codecs.encode(text, "rot13")


def url_escaped(text: str) -> str:
    return "".join(f"%{ord(sign):02x}" for sign in text)


def words_backwards_without_signs(text: str) -> str:
    """Return `example shop mila` for `mila@shop.example`."""
    words = re.findall("[^\\W_]+", text)
    return " ".join(reversed(words))


def upper_case(text: str) -> str:
    return text.upper()


def with_signs_between(text: str) -> str:
    """Return `a. d. a` for `ada`."""
    return ". ".join(text)
