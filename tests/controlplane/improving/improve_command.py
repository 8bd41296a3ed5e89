"""The command `improve`, by which a big model rewrites the hints of a small one that solves riddles.

The small model plays riddles, each made from the number of a *world*, with the text of `hints.txt` in
its prompt. The big model, the proposer, sees failed trials, and proposes another text for the file.
"""

PLAYER = "small"
"""The model that solves riddles."""

PROPOSER = "big"
"""The model that proposes hints."""

WORLD_OPTIONS = ("--train", "1-11", "--check", "101-106", "--final", "201-212")
"""The proposer sees trials in the worlds 1 to 11. The best hints are those with the best scores in the
worlds 101 to 106. Scores in the worlds 201 to 212 prove that these hints are better than the old ones."""

CHECK_WORLDS = range(101, 107)

FINAL_WORLDS = range(201, 213)


def improve_command(
    *options: str,
    proposer: str = PROPOSER,
    edited_file: str = "hints.txt",
    parts: tuple[str, ...] = WORLD_OPTIONS,
) -> list[str]:
    """Return the words of a command such as `improve --benchmark ... --with big --train 1-11`.

    It makes at most 12 proposals, and shows 4 failed trials to the proposer for each.
    """
    return [
        "improve",
        "--benchmark",
        "tests.controlplane.improving.riddles",
        "--model",
        PLAYER,
        "--reply-mode",
        "text",
        "--hints",
        "hints.txt",
        "--edit",
        edited_file,
        "--with",
        proposer,
        *parts,
        "--proposals",
        "12",
        "--batch",
        "4",
        *options,
    ]
