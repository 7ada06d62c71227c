# `make` prints this help.
.DEFAULT_GOAL := help
.PHONY: help run quick unit test soak check fuzz fmt studio clean
PYTHON ?= python3
VENV := .venv
# Tests wait for servers and browsers most of the time: more of them at once than a small machine has processors.
JOBS ?= 4
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt
PYTEST := $(BIN)/python -m pytest --numprocesses $(JOBS) --dist loadfile

# Installs quietly, and says what, and how long it took: $(call install,what is told,what pip is given).
define install
@echo "installing $(1) into $(VENV) …"; \
  began=$$(date +%s); $(PIP) --editable $(2) && echo "  done in $$(($$(date +%s) - began)) s"
endef

help: ## print this help
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' \
	  || { echo "GAMA needs Python 3.11 to 3.13; name one: make PYTHON=python3.11" >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV)

# Stamps: a second run installs nothing. One waits for the other, so that `make -j` never runs two installs at once.
$(VENV)/run.stamp: pyproject.toml constraints.txt accurate/pyproject.toml | $(BIN)/python
	$(call install,GAMA and its larger detector,. --editable ./accurate)
	@touch $@

$(VENV)/dev.stamp: $(VENV)/run.stamp
	$(call install,linters and what most tests need,'.[dev]')
	@touch $@

$(VENV)/test.stamp: $(VENV)/dev.stamp
	$(call install,torch and what else the tests of optional parts need (some minutes),'.[test]')
	@.ci/programs
	@touch $@

run: $(VENV)/run.stamp ## answer the example letter end to end: no key, no model download
	@$(BIN)/gama ask examples/letter.txt

quick: $(VENV)/dev.stamp ## lint, and the unit tests that load no model, the first and last case of each: within a minute on two cores
	@$(BIN)/ruff check --quiet .
	@$(BIN)/ruff format --check --quiet .
	@$(PYTEST) --numprocesses auto --quick --quiet -r fE tests/unit --ignore tests/unit/evals --ignore tests/unit/training

unit: $(VENV)/dev.stamp ## run the unit tests
	@$(PYTEST) tests/unit

test: $(VENV)/test.stamp ## install what all parts need, and run all tests but the live ones and the soaks
	@$(PYTEST)

soak: $(VENV)/test.stamp ## run what takes long, such as a thousand conversations at once
	@$(PYTEST) -m soak

check: $(VENV)/dev.stamp ## lint, format, types, import contracts
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

# Schemathesis in an environment of its own: it and LangGraph's server ask for other versions of one library.
$(VENV)/fuzz.stamp: $(VENV)/dev.stamp
	$(call install,what fuzzing needs,'.[dev,fuzz]')
	@$(PYTHON) -m venv $(VENV)-fuzz
	@$(VENV)-fuzz/bin/python -m pip install --quiet --disable-pip-version-check 'schemathesis>=4.32,<5'
	@touch $@

SECONDS ?= 60
fuzz: $(VENV)/fuzz.stamp ## fuzz every harness and the HTTP API, SECONDS=60 each
	@for name in mapping remapping replies guarding documents gateway; do \
	  $(BIN)/python -m tests.fuzz.run $$name $(SECONDS) || exit 1; done
	@$(BIN)/python -m tests.fuzz.api $(VENV)-fuzz/bin/schemathesis $(SECONDS)

fmt: $(VENV)/dev.stamp ## format the code and mend what the linter can
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

studio: $(VENV)/dev.stamp ## start LangGraph Studio's local server, and say what it shows and stores
	@$(BIN)/gama studio

clean: ## remove the virtual environment and caches
	rm -rf $(VENV) $(VENV)-fuzz .fuzz .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache build dist *.egg-info .langgraph_api
