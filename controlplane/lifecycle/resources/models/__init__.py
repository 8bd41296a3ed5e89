"""The models of a run: opening an endpoint or a player, and who asks which model."""
