"""What can be learned from Rust source by reading it: text comes in, facts and new text go out.

Nothing here runs a compiler. Read `parse` and `lexer` first: all else looks at source through the
tree-sitter grammar or through tokens.

- What a source defines and uses: `items`, `mentions`, `pieces`, `stdlib`.
- What tests a file declares, and how other code can call them: `tests`, `callable`, `splice`.
- Which names tests see of a sample: `root` says what a case declares, `wrapper` declares it anew.
- What a sample may not do, and what a reader should know of it: `scan`, `equality`.
- The same items without their work: `stub`.
- The asserts of a test file as terms that can be compared: `asserts`, `terms`.
"""
