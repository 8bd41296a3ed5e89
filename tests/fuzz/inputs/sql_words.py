"""Words of which random SQL is made: keywords, functions and tables of the embedded shop.

SQL_KEYWORDS   ["select", "from", ...]
SQL_FUNCTIONS  ["abs", ...], also those that a tool must not have, such as `readfile`
SQL_TABLES     ["products", ...], also tables that do not exist
"""


def words_of(text: str) -> list[str]:
    """Return `["select", "from"]` for `"select from"`."""
    return text.split()


# Words of SQL, and the tables of the embedded shop
SQL_KEYWORDS = words_of(
    "select from where join left cross natural on group by having order limit offset union all except intersect "
    "with recursive as values insert update delete create table view trigger drop pragma attach vacuum explain "
    "analyze begin case when then else end cast in exists between like glob regexp match null not and or is "
    "collate nocase distinct over partition rows unbounded preceding filter window returning materialized"
)

SQL_FUNCTIONS = words_of(
    "abs char coalesce count group_concat hex instr json json_each json_extract json_tree length like lower max "
    "min printf quote random randomblob replace round substr sum total trim typeof unhex unicode upper zeroblob "
    "strftime date julianday format iif nth_value ntile row_number load_extension readfile sqlite_version "
    "fts3_tokenizer"
)

SQL_TABLES = words_of(
    "products product_properties stores inventory incoming baskets basket_lines payments returns employees "
    "employee_roles sqlite_master pragma_table_info sqlite_schema generate_series t"
)
