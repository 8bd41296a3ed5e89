"""Values that lead to a person or place: web and mail addresses, accounts, telephones; quotations."""
