"""Times how long it takes to look up where the arguments of a call come from.

A trial has read a text of a million characters, and then makes a payment. The first look-up makes an
index of all that was read; later ones use it. `python -m tests.bench.provenance --lookup` prints for
prose, for a list of mails and for a table

    prose: first look-up 2600 ms, later ones 3.10 ms
"""

import json
import time
from typing import Any

from controlplane.agent.evidence.origins.argument_lookup import find_origins
from controlplane.agent.evidence.origins.texts import Origin, Provenance
from controlplane.agent.evidence.texts.data_texts import ResultText, texts_of_result

CHARS_OF_TEXT = 1_000_000
LATER_LOOKUPS = 20
PAYMENT: dict[str, Any] = {
    "to": "DE89370400440532013000",
    "amount": 1250.5,
    "subject": "Rent of May",
    "date": "2026-05-01",
}
"""The arguments of the call. No text has them."""

SENTENCE = (
    "On {0} Ann wrote that invoice INV-{0} of {0}.50 euros goes to ann{0}@site.com, "
    "as agreed with Bob.\n"
)
CELLS = "{0},Ann {0},{0}.50,ann{0}@site.com"
"""A line of a table; with its numbers filled in it has about `CELLS_CHARS` characters."""
CELLS_CHARS = 38


def texts_to_look_up_in() -> dict[str, str]:
    """Return texts of about a million characters: one of sentences, a list of mails, a table."""
    sentences = [
        SENTENCE.format(number) for number in range(CHARS_OF_TEXT // len(SENTENCE))
    ]
    prose = "".join(sentences)
    mails = []
    for start in range(0, CHARS_OF_TEXT, 500):
        mails.append({"id": start, "body": prose[start : start + 500]})
    line_count = CHARS_OF_TEXT // CELLS_CHARS
    table_lines = [CELLS.format(number) for number in range(line_count)]
    return {
        "prose": json.dumps(prose),
        "mails": json.dumps(mails),
        "table": json.dumps("\n".join(table_lines)),
    }


def print_lookup_times() -> None:
    """Print the CPU of looking up where the arguments of a payment come from.

    The first look-up makes an index of all that was read.
    """
    for name, text in texts_to_look_up_in().items():
        started_s = time.thread_time()
        provenance = Provenance()
        request = ResultText("Pay the rent.", is_data=False)
        provenance.add("the request", [request], Origin.ASKED)
        provenance.add("/calls/1", texts_of_result({"value": text}))
        find_origins(provenance, PAYMENT)
        first_done_s = time.thread_time()
        for _ in range(LATER_LOOKUPS):
            find_origins(provenance, PAYMENT)
        all_done_s = time.thread_time()

        first_ms = (first_done_s - started_s) * 1000
        later_ms = (all_done_s - first_done_s) * 1000 / LATER_LOOKUPS
        print(f"{name}: first look-up {first_ms:.0f} ms, later ones {later_ms:.2f} ms")
