"""The command `improve` for riddles: its models, its worlds, and its other options.

A world is what the benchmark makes of a seed. The proposer sees trials in training worlds, check
worlds choose the best hints, and final worlds prove that they are better.
"""

PLAYER = "small"

PROPOSER = "big"
"""The names of the two models."""

WORLD_OPTIONS = ("--train", "1-11", "--check", "101-106", "--final", "201-212")
"""The worlds (seeds of riddles) of the loop's parts. The proposer sees trials in training worlds,
check worlds choose the best hints, and final worlds prove that they are better."""

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
