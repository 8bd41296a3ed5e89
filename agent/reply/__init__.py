"""Reads the action from a model's reply, or says why the reply is unusable."""
