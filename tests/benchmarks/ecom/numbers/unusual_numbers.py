"""Numbers that two bodies of code hardly both have by coincidence.

    is_unusual(650)   # True
    is_unusual(400)   # False: round
    is_unusual(9)     # False: small
    is_unusual(3600)  # False: an hour has so many seconds

If code that generates shops and code that plays in them share such a number, it has leaked.
"""

UNITS_OF_TIME = {0, 1, 7, 12, 24, 31, 60, 365, 3_600, 86_400}

POWERS_OF_TWO = {2**power for power in range(1, 17)}


def is_unusual(number: float) -> bool:
    """Return True if a number is too unusual to be on both sides by coincidence.

    650 is unusual. Small or round numbers, and those of time and memory, are not: 9, 400, 3,600.
    """
    is_small = number <= 12 and number == int(number)
    # A round number has one digit besides zeros: 400 and 0.5, but not 650.
    digits = f"{number:g}".replace(".", "").replace("e+", "").strip("0")
    is_round = len(digits) <= 1
    if is_small or is_round:
        return False
    return number not in UNITS_OF_TIME and number not in POWERS_OF_TWO
