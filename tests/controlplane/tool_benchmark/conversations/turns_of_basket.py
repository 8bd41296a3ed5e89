"""A basket with two tools, each of which can be called in some turns of the user only.

turn 0   agent: add_bread(), say("Bread is in the basket.")
         user:  "And tea."
turn 1   agent: add_tea()         add_bread cannot be called any more
"""

from controlplane import TaskEnvironment, Tool


class Basket:
    """A basket and the two tools that fill it."""

    def __init__(self) -> None:
        self.articles: list[str] = []

    def add_bread(self) -> str:
        """Put bread into the basket."""
        self.articles.append("bread")
        return "added"

    def add_tea(self) -> str:
        """Put tea into the basket."""
        self.articles.append("tea")
        return "added"


def basket_environment() -> TaskEnvironment:
    """Return an environment with add_bread in turn 0 only, and with add_tea from turn 1 on."""
    basket = Basket()
    bread = Tool(basket.add_bread, "acts", last_turn=0)
    tea = Tool(basket.add_tea, "acts", first_turn=1)
    return TaskEnvironment([bread, tea], user=["And tea."], state=basket)
