"""What is known of model servers, as data and pure functions: no request is sent here.

`contract` says what a wire protocol supplies and how to read other people's JSON and errors;
`openai`, `anthropic` and `ollama` are one protocol each, to be read next to it. `presets` is the
table of protocols and of the providers that speak them. `sampling` decides which sampling
parameters a model is sent, and learns from its refusals.
"""
