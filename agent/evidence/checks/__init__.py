"""The checks before a call that may change something.

A check may object: the environment's own check, because the call breaks a rule, or the check
of origins, because a value comes from running text, such as a mail. The call is then not
sent, and the model reads why.
"""
