"""From a completion to code: which part of a reply is the Rust that the case asks for.

`extract` takes a completion and its case and returns an `Extraction`: the code and the rule that
found it, or the reason why there is none. It never raises and runs nothing. Read `extraction`
first; it applies the rules in their order. Then, along the way of a reply:

- `reply` removes what is not the reply: thinking, stop tokens. `wrappers` takes code out of JSON,
  tool calls and HTML.
- `blocks` finds fenced blocks and stretches of Rust in prose; each becomes one of the `candidates`.
- `wants` says what the case expects the code to define, `quotes` which code the model was given.
- `choose` picks the candidate that defines what is wanted; `edits` applies diffs to given code.
"""
