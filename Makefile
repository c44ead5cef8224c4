PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: help dev check format lint types contracts test clean

help: ## List the targets
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "make %-10s %s\n", $$1, $$2}'

$(VENV)/dev: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	touch $@

dev: $(VENV)/dev ## Create the virtual environment with everything a developer needs

check: format lint types contracts test ## All that must be green before a commit

format: dev ## Check the formatting
	$(BIN)/ruff format --check .

lint: dev ## Check the style
	$(BIN)/ruff check .

types: dev ## Check the types
	$(BIN)/mypy

contracts: dev ## Check who imports whom
	$(BIN)/lint-imports

test: dev ## Run the tests
	$(BIN)/pytest -n 2

clean: ## Remove what the other targets made
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis
