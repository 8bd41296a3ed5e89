"""The calls that are made before the model is asked, and what their results are shown as."""
