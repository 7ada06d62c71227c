# `make` prints this help.
.DEFAULT_GOAL := help
.PHONY: help run test check extras fmt studio clean
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

help: ## print this help
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' \
	  || { echo "GAMA needs Python 3.11 to 3.13; name one: make PYTHON=python3.11" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

# Stamps: a second run installs nothing. One waits for the other, so that `make -j` never runs two installs at once.
$(VENV)/run.stamp: pyproject.toml constraints.txt | $(BIN)/python
	@echo "installing GAMA into $(VENV) …"
	@$(PIP) --editable .
	@touch $@

$(VENV)/dev.stamp: $(VENV)/run.stamp
	@echo "installing what the tests need into $(VENV) …"
	@$(PIP) --editable '.[dev]'
	@touch $@

$(VENV)/extras.stamp: $(VENV)/dev.stamp
	@echo "installing local LLMs, training and Presidio into $(VENV) …"
	@$(PIP) --editable '.[dev,local,train,presidio]'
	@touch $@

extras: $(VENV)/extras.stamp ## install torch and what else the tests of local LLMs, training and Presidio need

run: $(VENV)/run.stamp ## answer the example letter end to end: no key, no model download
	@$(BIN)/gama ask examples/letter.txt

test: $(VENV)/dev.stamp ## run all tests but the live ones
	@$(BIN)/python -m pytest

check: $(VENV)/dev.stamp ## lint, format, types, import contracts
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

fmt: $(VENV)/dev.stamp ## format the code and mend what the linter can
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

studio: $(VENV)/dev.stamp ## start LangGraph Studio's local server, and say what it shows and stores
	@$(BIN)/gama studio

clean: ## remove the virtual environment and caches
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache build dist *.egg-info .langgraph_api
