"""From a case to a completion: which samples to draw, what to ask, whom, and at what price.

Comes in: the cases of eval sets and the models of a run. Goes out: one `Completion` a sample, or a
`Fault` when the machinery failed. Read first `plan` (which samples, in which order), then
`completion` (what a reply is, and `CompletionSource`, the contract of everything that replies) and
`prompt` (what a model is told). Four kinds of sources follow: `transport/` asks model servers in
the wire protocols of `providers/`, `local` starts the embedded model, `replay` reads recordings,
`reference` answers with an eval set's own solutions. `price` says what a completion cost.
"""
