"""The one place that builds a tree-sitter parser for Rust."""

from functools import cache

import tree_sitter_rust
from tree_sitter import Language, Parser, Tree


@cache
def _language() -> Language:
    return Language(tree_sitter_rust.language())


def parse(source: bytes) -> Tree:
    """Return the concrete syntax tree of Rust source; broken source gives ERROR nodes."""
    return Parser(_language()).parse(source)
