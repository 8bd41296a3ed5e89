"""Plays a base run and variations of its settings side by side, as a TOML file describes them."""
