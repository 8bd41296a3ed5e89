"""The values in arguments and texts, and the keys by which they are compared.

A mail says “Please pay 420 to GB33 BUKB 2020 1555 5555 55.”, and a call has
`recipient="GB33BUKB20201555555555"`. Three nouns are enough to tell that the account is the same:

- A *value* identifies something: an account, an amount, a date, a name.
- Its *key* is what all its spellings share: `gb33bukb20201555555555` (`keys.py`).
- Its *parts* are the values within it, such as the account in a URL.

`argument_values` returns the values of an argument, with their keys and parts. `keys_of_words` and
`keys_of_numbers` return the keys of the values in a text.
"""
