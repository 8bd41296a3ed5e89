"""The obstacles to a discount: the reasons why a request for one must be refused.

Some are in the person who asks (a customer, or an employee without the role), one is in the
percentage, and some are in the records of the basket and its branch. A task draws one
obstacle, or none; the records are changed to fit, and the right answer follows from it.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final


class Obstacle(StrEnum):
    """A reason why a discount is forbidden."""

    NONE = ""
    """Nothing forbids it: the discount must be given."""
    ASKED_BY_CUSTOMER = "customer"
    """A customer asks, but only employees may give discounts."""
    LACKS_ROLE = "role"
    """An employee asks, but without the role for discounts."""
    ABOVE_MAXIMUM = "limit"
    """The percentage is too high for the basket's subtotal."""
    OTHER_BRANCH = "branch"
    """The basket belongs to another branch than the asker."""
    DISCOUNTED_ALREADY = "discounted"
    """The basket has a discount, and may have only one."""
    SHORT_STOCK = "short"
    """The branch has too few units of a product in the basket."""


RECORDED_OBSTACLES: Final = (
    Obstacle.OTHER_BRANCH,
    Obstacle.DISCOUNTED_ALREADY,
    Obstacle.SHORT_STOCK,
)
"""The obstacles in the records of the basket and its branch."""
