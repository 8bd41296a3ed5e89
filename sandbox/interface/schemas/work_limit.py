"""A limit of work, for input that could demand too much of it."""


class WorkLimit:
    """Counts pieces of work down to 0."""

    def __init__(self, maximum: int) -> None:
        self.remaining = maximum

    def take_one(self) -> bool:
        """Count one piece of work.

        Returns False if the limit is reached; the caller must then stop.
        """
        if self.remaining <= 0:
            return False
        self.remaining -= 1
        return True
