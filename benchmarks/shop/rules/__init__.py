"""The rules of the rule set `ecom`, which object to answers that are probably wrong.

For example, an answer about the stock of a product has to cite the product. There is a module
for each subject; `review` has what all rules are made of.
"""
