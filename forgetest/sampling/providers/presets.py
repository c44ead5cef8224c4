"""The tables of what there is: wire protocols, and the providers that speak them.

A provider is data. A new one over a known protocol is a row in `PRESETS`, or a table in
forgetest.toml; a new protocol is a module with the six functions of the contract and a row in
`PROTOCOLS`.
"""

from forgetest.sampling.providers import anthropic, ollama, openai
from forgetest.sampling.providers.contract import (
    LOCAL_MAX_TOKENS,
    Preset,
    ProtocolName,
    WireProtocol,
)

PROTOCOLS: dict[ProtocolName, WireProtocol] = {
    "openai": openai,
    "anthropic": anthropic,
    "ollama": ollama,
}

_ROWS = (
    Preset(
        name="openai",
        limit_field="max_completion_tokens",
        base_url="https://api.openai.com/v1",
        key_env="OPENAI_API_KEY",
    ),
    Preset(
        name="anthropic",
        protocol="anthropic",
        seed_field=None,
        base_url="https://api.anthropic.com",
        key_env="ANTHROPIC_API_KEY",
    ),
    Preset(
        name="openrouter",
        base_url="https://openrouter.ai/api/v1",
        key_env="OPENROUTER_API_KEY",
    ),
    Preset(
        name="groq",
        base_url="https://api.groq.com/openai/v1",
        key_env="GROQ_API_KEY",
    ),
    Preset(
        name="together",
        base_url="https://api.together.xyz/v1",
        key_env="TOGETHER_API_KEY",
    ),
    Preset(
        name="deepseek",
        seed_field=None,
        base_url="https://api.deepseek.com/v1",
        key_env="DEEPSEEK_API_KEY",
    ),
    Preset(
        name="mistral",
        seed_field="random_seed",
        base_url="https://api.mistral.ai/v1",
        key_env="MISTRAL_API_KEY",
    ),
    Preset(
        name="xai",
        base_url="https://api.x.ai/v1",
        key_env="XAI_API_KEY",
    ),
    Preset(
        name="gemini",
        seed_field=None,
        base_url="https://generativelanguage.googleapis.com/v1beta/openai",
        key_env="GEMINI_API_KEY",
    ),
    Preset(
        name="vllm",
        base_url="http://127.0.0.1:8000/v1",
        local=True,
        concurrency=4,
        temperature=0.8,
        max_tokens=LOCAL_MAX_TOKENS,
    ),
    Preset(
        name="llamacpp",
        base_url="http://127.0.0.1:8080/v1",
        local=True,
        concurrency=4,
        temperature=0.8,
        max_tokens=LOCAL_MAX_TOKENS,
    ),
    Preset(
        name="lmstudio",
        base_url="http://127.0.0.1:1234/v1",
        local=True,
        concurrency=1,
        temperature=0.8,
        max_tokens=LOCAL_MAX_TOKENS,
    ),
    Preset(
        name="ollama",
        protocol="ollama",
        base_url="http://127.0.0.1:11434",
        local=True,
        concurrency=1,
        temperature=0.8,
        max_tokens=LOCAL_MAX_TOKENS,
    ),
)

PRESETS: dict[str, Preset] = {preset.name: preset for preset in _ROWS}
