# Every target sets itself up: .venv is made where it is absent, and brought up to date where pyproject.toml,
# constraints.txt or a lock file is newer. Settings:
#   PYTHON       the interpreter that makes .venv                      make test PYTHON=python3.12
#   PIP_ARGS     further options for pip, such as another index        make demo PIP_ARGS='--no-index --find-links wheels'
#   LOCKED       no: accept builds of packages that are not locked     make demo LOCKED=no
#   PYTEST_ARGS  further options for pytest                            make test PYTEST_ARGS='-n 4 -k bayes'
#   VERSIONS     rows of requirements/versions.py; default: all        make versions VERSIONS='lowest pandas2'

PYTHON ?= python3
PIP_ARGS ?=
PYTEST_ARGS ?=
VERSIONS ?=
LOCKED ?= yes

VENV := .venv
BIN := $(VENV)/bin
PIN := pyproject.toml constraints.txt $(wildcard requirements/*.txt)
PIP := $(BIN)/python -m pip install -qq --disable-pip-version-check $(PIP_ARGS)
# Every pinned package first, each file checked against its hash, with nothing that it asks for; then the project,
# which finds all of them there. What only some platforms need (a CUDA build's libraries) comes with the project.
LOCK = $(if $(filter yes,$(LOCKED)),$(PIP) --no-deps --require-hashes -r requirements/$(1).txt,true)
PROJECT = $(PIP) -c constraints.txt $(if $(filter yes,$(LOCKED)),--no-build-isolation) -e
BENCHMARKS = $(filter-out benchmarks/_%,$(wildcard benchmarks/*.py))

# What one process of tests and tools compiles, the next need not.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help demo test test-slow test-all check format bench docs golden lock versions audit release-check clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-14s %s\n", $$1, $$2 }' Makefile

demo: $(BIN)/.user ## the whole story in one go: play, generate, train, evaluate, label, compare, report
	@$(BIN)/intent demo --output demo-output --overwrite

test: $(BIN)/.dev ## all tests but the slow ones
	@$(BIN)/python -m pytest -m "not slow and not axelrod and not exhaustive" $(PYTEST_ARGS)

test-slow: $(BIN)/.full ## only the slow ones: wheel, notebooks, play against the Axelrod library
	@$(BIN)/python -m pytest -m "(slow or axelrod) and not exhaustive" $(PYTEST_ARGS)

test-all: $(BIN)/.full ## everything, the whole of long products included
	@$(BIN)/python -m pytest $(PYTEST_ARGS)

check: $(BIN)/.dev ## format, lint, types, import layers
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

format: $(BIN)/.dev ## put the code into the house format
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

bench: $(BIN)/.full ## every benchmark with its default, small settings
	@set -e; for script in $(BENCHMARKS); do echo "== $$script"; $(BIN)/python "$$script"; done

docs: $(BIN)/.full ## write the reference pages anew, run notebooks that changed, build the site into docs/_build/html
	@$(BIN)/python docs/build.py
	@$(BIN)/python docs/build_gallery.py
	@rm -rf docs/api # pages of modules that are no more would be read again
	@$(BIN)/python -m sphinx -q -W --keep-going -c docs -d docs/_build/doctrees . docs/_build/html
	@$(BIN)/python docs/check_site.py docs/_build/html

golden: $(BIN)/.dev ## write the answers of tests/golden anew, after a change of behaviour that is meant
	@$(BIN)/python tests/golden/freeze.py $(CHAPTERS)

lock: $(BIN)/.dev ## write requirements/*.txt anew from constraints.txt, with hashes from the package index
	@$(BIN)/python -m pip install -qq --disable-pip-version-check uv
	@$(BIN)/python requirements/lock.py

versions: $(BIN)/.dev ## the tests of the core with the oldest and newest libraries that pyproject.toml allows
	@$(BIN)/python -m pip install -qq --disable-pip-version-check uv
	@$(BIN)/python requirements/versions.py $(VERSIONS) $(PYTEST_ARGS)

audit: $(BIN)/.dev ## licences of what is installed; known advisories with ADVISORIES=a database on disk
	@$(BIN)/python requirements/audit.py $(if $(ADVISORIES),--advisories $(ADVISORIES))

release-check: $(BIN)/.dev ## every step of a release but publishing; RELEASE_ARGS='--help' lists its options
	@$(PROJECT) '.[release]'
	@$(BIN)/python requirements/release.py $(RELEASE_ARGS)

clean: ## remove the environment, caches and build products
	rm -rf $(VENV) build dist demo-output docs/_build docs/api .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(BIN)/.user: $(PIN)
	@test -x $(BIN)/python || $(PYTHON) -m venv --clear $(VENV)
	@echo "installing intent into $(VENV) (the first time takes minutes) ..."
	@$(call LOCK,core)
	@$(call LOCK,user)
	@$(call LOCK,torch-cpu) 2>/dev/null || $(call LOCK,torch)
	@$(call LOCK,local) && $(PROJECT) '.[all]' || { echo "no llama.cpp for this platform: strategies will play in the demo"; $(PROJECT) ".[$$($(BIN)/python requirements/lock.py --users)]"; }
	@touch $@

$(BIN)/.dev: $(BIN)/.user
	@echo "adding the tools that check and test it ..."
	@$(call LOCK,dev) && $(PROJECT) '.[dev]'
	@touch $@

$(BIN)/.full: $(BIN)/.dev
	@echo "adding what builds the docs ..."
	@$(call LOCK,full) && $(PROJECT) '.[dev,docs]'
	@touch $@
