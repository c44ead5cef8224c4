"""`forgetest list-models` where a provider cannot be asked: each trouble once, in one line."""

from program import Program

CONFIG = """
[providers.keyed]
base_url = "http://127.0.0.1:1/v1"
api_key_env = "NO_KEY"

[providers.far]
base_url = "ftp://models.example"
"""


def test_a_trouble_names_its_provider_once(forgetest: Program) -> None:
    (forgetest.folder / "forgetest.toml").write_text(CONFIG, encoding="utf-8")

    done = forgetest("list-models", "--provider", "keyed,far")

    assert (done.code, done.out) == (2, "")
    assert done.err.splitlines() == [
        "error: provider keyed needs a key: set NO_KEY in the environment",
        "error: provider far: base_url must be an http or https URL",
    ]
