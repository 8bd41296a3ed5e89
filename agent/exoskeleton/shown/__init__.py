"""The results of calls as texts for the model."""
