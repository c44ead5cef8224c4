PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
# Many tests wait for timers, sockets and processes: three workers keep two cores busy.
WORKERS := -n 3 --dist worksteal

.DEFAULT_GOAL := help
.PHONY: help demo quick test integrations cases schemas check format lint types contracts dev clean

help: ## List the targets
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "make %-10s %s\n", $$1, $$2}'

demo: $(VENV)/.local $(VENV)/.sandbox ## Run small cases against an embedded model and the reference solutions
	$(BIN)/forgetest doctor --quiet
	$(BIN)/forgetest run --eval-set eval-sets/starter.toml \
	  --models local/smollm2-135m,reference/solution \
	  --samples 5 --pass-k 1,5 --temperature 0.8 --max-tokens 128 --seed 1

quick: $(VENV)/.dev ## Run the tests that need no compiler, browser, model or wheel
	$(BIN)/pytest $(WORKERS) --hypothesis-profile quick -m "not (cargo or browser or local_llm or wheel or benchmark)"

test: $(VENV)/.dev $(VENV)/.local $(VENV)/.sandbox $(VENV)/.forge $(VENV)/.browser ## Run all tests, with real cargo and the embedded model
	$(BIN)/pytest $(WORKERS)

integrations: ## Install Inspect AI, TRL, verifiers and lm-eval, each by itself, and run forgetest in them; takes 7 GB
	@$(MAKE) --no-print-directory integration-inspect integration-trl integration-verifiers integration-lm_eval

cases: $(VENV)/.dev $(VENV)/.sandbox ## Check the shipped eval sets deeply, and record it; takes hours, then remembers
	$(BIN)/forgetest validate --deep --min-strength 0.95 --format json --output build/cases.json eval-sets
	$(BIN)/python tests/support/strength_table.py build/cases.json
	$(BIN)/forgetest grade examples/strong-model/answers.jsonl.gz --eval-set eval-sets --quiet --output build/measured.json
	$(BIN)/python tests/support/measured_table.py build/measured.json

schemas: $(VENV)/.base ## Write the JSON Schemas that editors load
	$(BIN)/forgetest schema eval-set >schemas/eval-set.schema.json
	$(BIN)/forgetest schema config >schemas/config.schema.json

check: format lint types contracts test ## All that must be green before a commit

format: $(VENV)/.dev ## Check the formatting
	$(BIN)/ruff format --check .

lint: $(VENV)/.dev ## Check the style
	$(BIN)/ruff check .

types: $(VENV)/.dev ## Check the types
	$(BIN)/mypy

contracts: $(VENV)/.dev ## Check who imports whom
	$(BIN)/lint-imports

dev: $(VENV)/.dev $(VENV)/.local $(VENV)/.sandbox $(VENV)/.forge $(VENV)/.browser ## Create the virtual environment with everything a developer needs

$(VENV)/.base: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(PIP) --editable .
	@touch $@

# Older versions of pip know no --group.
$(VENV)/.dev: $(VENV)/.base
	$(PIP) --upgrade 'pip>=25.1'
	$(PIP) --editable '.[serve,cluster]' --group dev
	@touch $@

$(VENV)/.local: $(VENV)/.base forgetest/sampling/local.py
	$(BIN)/forgetest local install
	@touch $@

# Where bubblewrap cannot be installed, forgetest takes Landlock, and its tests are skipped by name.
$(VENV)/.sandbox: $(VENV)/.base
	@command -v bwrap || { test $$(id -u) = 0 && apt-get update -q && apt-get install -y -q bubblewrap; } \
	  || echo "bubblewrap is not here; install it with: sudo apt-get install bubblewrap"
	@touch $@

# The steps of examples/ci are carried out by tests, with the programs that runners have.
$(VENV)/.forge: $(VENV)/.base
	@command -v curl && command -v jq || { test $$(id -u) = 0 && apt-get update -q && apt-get install -y -q curl jq; } \
	  || echo "curl or jq is not here; install them with: sudo apt-get install curl jq"
	@touch $@

# The tests of HTML pages drive a real browser, and are skipped by name where there is none.
$(VENV)/.browser: $(VENV)/.base
	@command -v chromium || { test $$(id -u) = 0 && apt-get update -q && timeout 600 apt-get install -y -q chromium; } \
	  || echo "chromium is not here; install it with: sudo apt-get install chromium"
	@touch $@

# Their dependencies do not go together, nor with ours. Verifiers starts its harness with uv, and
# Inspect makes its data frames with pandas.
integration-%: build/integrations/%/.installed
	build/integrations/$*/bin/pytest -m integrations tests/integrations/test_$*_real.py $(wildcard tests/render/formats/test_$*.py)

# Kept, so that the next call installs nothing.
.PRECIOUS: build/integrations/%/.installed
build/integrations/%/.installed: pyproject.toml
	$(PYTHON) -m venv build/integrations/$*
	build/integrations/$*/bin/pip install --quiet --upgrade 'pip>=25.1'
	build/integrations/$*/bin/pip install --quiet --editable '.[$*]' pytest hypothesis pandas pyarrow uv
	@touch $@

clean: ## Remove what the other targets made
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis runs
