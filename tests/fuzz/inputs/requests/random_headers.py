"""Random headers of HTTP requests for the fuzzer: those of an ordinary request, or any others.

random_headers(rng, b"{}")  # ["Content-Length: 2", "Content-Type: application/json"]
"""

from random import Random

from tests.fuzz.inputs.generators import word

USUAL_HEADERS = ["Content-Length: {length}", "Content-Type: application/json"]

HEADERS = [
    *USUAL_HEADERS,
    "Transfer-Encoding: chunked",
    "Expect: 100-continue",
    "Content-Encoding: gzip",
    "Connect-Timeout-Ms: {word}",
    "Accept-Encoding: gzip",
    "Content-Type: application/proto",
    "Connection: {word}",
    "Host: {word}",
    "{word}: {word}",
    "Upgrade: websocket",
    "Content-Length: {word}",
]
"""Headers, whose {length} is replaced by the body's and each {word} by a random word."""


def random_headers(rng: Random, body: bytes) -> list[str]:
    """Return the headers of an ordinary request with this body, or up to 200 others."""
    if rng.random() < 0.7:
        headers = USUAL_HEADERS
    else:
        count = rng.choice([1, 5, 200])
        headers = [rng.choice(HEADERS) for _ in range(count)]
    return [header.format(length=len(body), word=word(rng)) for header in headers]
