"""The eight gates: ordered, deterministic checks of a submission. `gates.rules` asks all of them."""
