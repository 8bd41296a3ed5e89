"""The eight gates: ordered, deterministic checks of a submission. `gates.judging` asks all of them."""
