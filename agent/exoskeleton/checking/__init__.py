"""The checks of a request before the model is asked, which may answer it."""
