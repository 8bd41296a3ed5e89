"""From a completion, the call with which the model ends the trial, to the submitted answer."""
