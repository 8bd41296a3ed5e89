"""A large folder of support tickets, of which one has the answer to a question.

`make_folder(root, files=20_000)` writes `000/T-00000.txt`, `000/T-00001.txt` and so on, with random
words. The answer is the line `NOTE` in one of them.
"""

from pathlib import Path
from random import Random

FILES_PER_FOLDER = 500


NOTE = "The courier left it at the neighbour Quibblethorpe.\n"
"""The line that answers the question. One file has it."""


WORDS = (
    "login",
    "printer",
    "refund",
    "parcel",
    "size",
    "error",
    "update",
    "floor",
    "delivered",
    "customer",
    "urgent",
)


def make_folder(root: Path, files: int) -> None:
    """Write support tickets of random words, such as `000/T-00012.txt`; one has the note."""
    random = Random(7)
    ticket_with_note = files * 3 // 4
    for number in range(files):
        folder = root / f"{number // FILES_PER_FOLDER:03d}"
        folder.mkdir(exist_ok=True)
        lines = [f"Ticket: T-{number:05d}"]
        for _ in range(random.randint(3, 30)):
            lines.append(" ".join(random.choices(WORDS, k=12)))
        text = "\n".join(lines) + "\n"
        if number == ticket_with_note:
            text += NOTE
        (folder / f"T-{number:05d}.txt").write_text(text)
