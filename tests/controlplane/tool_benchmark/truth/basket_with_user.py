"""A basket with a tool `add`, for a user who asks for articles in several turns.

    environment = basket_with_user("And tea.")
    environment.call("add", {"article": "bread"})
    environment.state    ->    ["bread"]

After a first turn, the user says "And tea.".
"""

from controlplane import TaskEnvironment, Tool


def basket_with_user(*further_requests: str) -> TaskEnvironment:
    """Return an environment with the tool `add`, whose state is the list of added articles.

    After each turn, the user says the next of the further requests.
    """
    articles: list[str] = []

    def add(article: str) -> int:
        """Add an article."""
        articles.append(article)
        return len(articles)

    user = list(further_requests) or None
    return TaskEnvironment([Tool(add, "acts")], user=user, state=articles)
