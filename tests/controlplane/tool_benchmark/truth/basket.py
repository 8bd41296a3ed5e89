"""A basket with a tool `add`, for a user who asks for articles in one turn or in several.

    environment = basket(further_requests=["And tea."])
    environment.call("add", {"article": "bread"})
    environment.state    ->    ["bread"]

After the first turn, the user says "And tea.".
"""

from collections.abc import Sequence

from controlplane import TaskEnvironment, Tool


def basket(*, further_requests: Sequence[str] = ()) -> TaskEnvironment:
    """Return an environment with the tool `add`, whose state is the list of added articles.

    After each turn, a user says the next of the further requests. Without any, there is no user.
    """
    articles: list[str] = []

    def add(article: str) -> int:
        """Add an article."""
        articles.append(article)
        return len(articles)

    user = list(further_requests) or None
    return TaskEnvironment([Tool(add, "acts")], user=user, state=articles)
