"""The eight gates: ordered, deterministic checks of a submission. `controlplane.gates.rules`
asks all of them."""
