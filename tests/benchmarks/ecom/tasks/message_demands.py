"""What a message to the asker has to say by the truth of a task, and what it must not say.

    trial = Trial(task)    # "Check out my basket", by a customer who has two
    trial.required_words   # ("basket-0412", "basket-0415")
    trial.choice           # "basket-0412 or basket-0415"

Tests write messages with these values, and have them graded.
"""

from controlplane.benchmarks.ecom.tasks.truth import RecordState
from controlplane.benchmarks.ecom.world.records import Product
from tests.benchmarks.ecom.tasks.asked_records import (
    employee_asked_for,
    product_to_name,
)
from tests.benchmarks.ecom.tasks.message_values import MessageValues


class Trial(MessageValues):
    """A task in a shop of its own, with all values that a message may need.

    `MessageValues` has those of the shop's records: the message "basket-0412 is already bought" is
    written with `trial.basket.id` and `trial.status`. It has the task and its truth, too. Here are
    those that the truth demands or forbids.
    """

    @property
    def product(self) -> Product:
        """The first product that the message has to name."""
        return product_to_name(self.task)

    @property
    def percent(self) -> int:
        """The percentage that the message has to name."""
        return self.truth.required_percent

    @property
    def required_words(self) -> tuple[str, ...]:
        """The words that the message has to have, such as the ids of all baskets to choose from."""
        return self.truth.required_words

    @property
    def choice(self) -> str:
        """The required words as a choice for the asker: `basket-0412 or basket-0415`."""
        return " or ".join(self.required_words)

    @property
    def secret_texts(self) -> tuple[str, ...]:
        """The texts that the message must not have, such as an e-mail address."""
        return self.truth.secrets.texts

    @property
    def secret_state(self) -> RecordState:
        """The first state that the message must not disclose: `trial.secret_state.actual`.

        `trial.secret_state.others` are the states that the record could have instead.
        """
        return self.truth.secrets.states[0]

    @property
    def title_and_roles(self) -> list[str]:
        """The title and the secret roles of the employee who is asked for.

        The first role is no secret, as all employees have it.
        """
        employee = employee_asked_for(self.task)
        _, *secret_roles = employee.roles
        return [employee.title, *secret_roles]
