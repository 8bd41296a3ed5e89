"""The kinds and wordings that the authors of gates and rules may read."""
