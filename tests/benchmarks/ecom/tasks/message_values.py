"""Trials of the shop with the values that a message to the asker may name, or must not.

    trial = Trial(task)
    "I can't help with {t.basket.id}, which is {t.status}.".format(t=trial)
    # "I can't help with basket-0412, which is filling."

Each world has its own words for states, here `filling` for `active`.
"""

from datetime import datetime

from controlplane.benchmarks.ecom.tasks.answer_secrets import RecordState
from tests.benchmarks.ecom.tasks.trial_records import TrialRecords


class Trial(TrialRecords):
    """A task in a world of its own, with the values that a message may name as properties."""

    @property
    def state_words(self) -> dict[str, str]:
        """This world's words for states: `{"checked_out": "bought", ...}`."""
        states = ("checked_out", "refund_pending", "closed")
        return {state: self.state_word(state) for state in states}

    def state_word(self, state: str) -> str:
        """Return this world's word for a state: `filling` for `active`."""
        return str(self.world.names.state(state))

    @property
    def status(self) -> str:
        """The status of the returned goods, or else of the basket."""
        if self.returned is not None:
            return self.state_word(self.returned.status)
        return self.state_word(self.basket.status)

    @property
    def created(self) -> datetime:
        """When the basket was created."""
        return datetime.fromisoformat(self.basket.created_at)

    @property
    def skus(self) -> str:
        """The SKUs of the products in the basket: `VH-TNT-2P, VH-BAG-40`."""
        return ", ".join(self.basket.lines)

    @property
    def product_names(self) -> str:
        """The names of the products in the basket."""
        products = self.world.catalogue.products
        return ", ".join(products[sku].name for sku in self.basket.lines)

    @property
    def kind_of_first_product(self) -> str:
        """The kind of the first product in the basket: `tents`."""
        products = self.world.catalogue.products_of(self.basket.lines)
        return products[0].kind_id.removeprefix("kind-")

    @property
    def price(self) -> str:
        """The price of the products in the basket: `129.90`."""
        cents = self.world.catalogue.price_of(self.basket.lines)
        return f"{cents / 100:.2f}"

    @property
    def payment_euros(self) -> str:
        """The amount of the payment: `129.90`."""
        return f"{self.payment.amount_cents / 100:.2f}"

    @property
    def title_and_roles(self) -> list[str]:
        """The employee's title, and the roles that are secret: all but the first.

        All employees have the first role, so that it is no secret.
        """
        _, *secret_roles = self.employee.roles
        return [self.employee.title, *secret_roles]

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
        """The state that the message must not disclose: `trial.secret_state.actual`.

        `trial.secret_state.others` are the states that the record could have instead.
        """
        return self.truth.secrets.states[0]
