"""The values of records that a message to the asker may name: a status, a price, a day.

    values = MessageValues(task)  # "What is the status of basket-0412?"
    values.status                 # "filling"
    values.price                  # "129.90"

Each world has its own words for states, here `filling` for `active`.
"""

from datetime import datetime

from tests.benchmarks.ecom.tasks.trial_records import TrialRecords


class MessageValues(TrialRecords):
    """A task, with the values of its records that a message to the asker may name as properties."""

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
