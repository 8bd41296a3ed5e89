"""Rules of a workspace about words of yes and no."""

PAIR = "For yes/no questions the whole message is `ja` or `nein`, nothing else."
HELD = "A yes/no answer must include `<YES>` or `<NO>`."
