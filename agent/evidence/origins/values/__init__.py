"""The values in arguments and texts, and the keys by which they are compared.

A mail says “Please pay 420 to GB33 BUKB 2020 1555 5555 55.”, and a call has
`recipient="GB33BUKB20201555555555"`. `keys_of_words` and `keys_of_numbers` return the keys of the
values in the mail, and `argument_values` the values of the argument with their keys. Both
have `gb33bukb20201555555555`. `keys.py` says what a key is.
"""
