"""How a text is cut into words and read: as sqlglot reads DuckDB's SQL, without what it needs to write it."""

from typing import Any, ClassVar

from sqlglot import TokenType
from sqlglot.dialects.dialect import Dialect, NormalizationStrategy, UsingColumnOrder
from sqlglot.parsers.duckdb import DuckDBParser
from sqlglot.tokens import Tokenizer

__all__ = ["Reading"]


class Reading(Dialect):
    """sqlglot's dialect of DuckDB, less its generator, which is never used and takes longest to import.

    Claim:      a text that is answered is read into the same tree as by sqlglot's own dialect of DuckDB.
    Because:    the parser is the same, and so is everything that it and the tokenizer look up here; only paths in JSON
                are read otherwise, and nothing that holds one is answered.
    Checked by: tests/unit/plan/test_dialect.py
    """

    NULL_ORDERING = "nulls_are_last"
    INDEX_OFFSET = 1
    CONCAT_COALESCE = True
    CONCAT_WS_COALESCE = True
    SUPPORTS_ORDER_BY_ALL = True
    SUPPORTS_LIMIT_ALL = True
    PREFER_COLUMNS_TO_ALIASES_IN_HAVING_AND_QUALIFY = True
    HAVING_ALIASES_SHADOW_UNGROUPED_COLUMNS = True
    SUPPORTS_FIXED_SIZE_ARRAYS = True
    TABLES_REFERENCEABLE_AS_COLUMNS = True
    QUERY_RESULTS_ARE_STRUCTS = True
    STRICT_JSON_PATH_SYNTAX = False
    NUMBERS_CAN_BE_UNDERSCORE_SEPARATED = True
    USING_COLUMN_ORDER = UsingColumnOrder.IN_PLACE
    REGEXP_EXTRACT_NO_MATCH_RETURNS_NULL = False
    REGEXP_EXTRACT_MISSING_GROUP_RETURNS_EMPTY = True
    NORMALIZATION_STRATEGY = NormalizationStrategy.CASE_INSENSITIVE
    ASCII_ONLY_NORMALIZATION = True
    DATE_PART_MAPPING = {part: name for part, name in Dialect.DATE_PART_MAPPING.items() if part != "WEEKDAY"} | {
        "DAYOFWEEKISO": "ISODOW"
    }
    UNESCAPED_SEQUENCES = {"\\a": "a", "\\v": "v"}  # noqa: RUF012 -- sqlglot declares it so

    class Tokenizer(Tokenizer):
        """Words and signs."""

        NUMERIC_ESCAPES: ClassVar[dict[str, Any]] = {"x": (16, 1, 2, 0xFF), "0": (8, 1, 3, 0o777)}
        NUMERIC_ESCAPES_ARE_BYTES = True
        DROP_UNKNOWN_ESCAPES = True
        BYTE_STRINGS: ClassVar[list[Any]] = [("e'", "'"), ("E'", "'")]
        BYTE_STRING_ESCAPES: ClassVar[list[str]] = ["'", "\\"]
        HEREDOC_STRINGS: ClassVar[list[Any]] = ["$"]
        HEREDOC_TAG_IS_IDENTIFIER = True
        HEREDOC_STRING_ALTERNATIVE = TokenType.PARAMETER
        KEYWORDS: ClassVar[dict[str, TokenType]] = {
            word: token for word, token in Tokenizer.KEYWORDS.items() if word not in {"/*+", "SORT BY"}
        } | {
            "//": TokenType.DIV,
            "**": TokenType.DSTAR,
            "^@": TokenType.CARET_AT,
            "@>": TokenType.AT_GT,
            "<@": TokenType.LT_AT,
            "ATTACH": TokenType.ATTACH,
            "BINARY": TokenType.VARBINARY,
            "BITSTRING": TokenType.BIT,
            "BPCHAR": TokenType.TEXT,
            "CHAR": TokenType.TEXT,
            "CONNECT": TokenType.CONNECT,
            "DATETIME": TokenType.TIMESTAMPNTZ,
            "DETACH": TokenType.DETACH,
            "DISCONNECT": TokenType.DISCONNECT,
            "FORCE": TokenType.FORCE,
            "INSTALL": TokenType.INSTALL,
            "INT8": TokenType.BIGINT,
            "LOGICAL": TokenType.BOOLEAN,
            "MACRO": TokenType.FUNCTION,
            "ONLY": TokenType.ONLY,
            "PIVOT_WIDER": TokenType.PIVOT,
            "POSITIONAL": TokenType.POSITIONAL,
            "RESET": TokenType.COMMAND,
            "ROW": TokenType.STRUCT,
            "SIGNED": TokenType.INT,
            "STRING": TokenType.TEXT,
            "SUMMARIZE": TokenType.SUMMARIZE,
            "TIMESTAMP": TokenType.TIMESTAMPNTZ,
            "TIMESTAMP_S": TokenType.TIMESTAMP_S,
            "TIMESTAMP_MS": TokenType.TIMESTAMP_MS,
            "TIMESTAMP_NS": TokenType.TIMESTAMP_NS,
            "TIMESTAMP_US": TokenType.TIMESTAMP,
            "UBIGINT": TokenType.UBIGINT,
            "UINTEGER": TokenType.UINT,
            "USMALLINT": TokenType.USMALLINT,
            "UTINYINT": TokenType.UTINYINT,
            "VARCHAR": TokenType.TEXT,
        }
        SINGLE_TOKENS: ClassVar[dict[str, TokenType]] = Tokenizer.SINGLE_TOKENS | {"$": TokenType.PARAMETER}
        VAR_SINGLE_TOKENS: ClassVar[set[str]] = {"$"}
        COMMANDS: ClassVar[set[TokenType]] = Tokenizer.COMMANDS - {TokenType.SHOW}

    Parser = DuckDBParser
