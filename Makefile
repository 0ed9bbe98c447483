# make card    a model card of the embedded example, in report/
# make test    lint, types, import contracts and every test; TESTS=tests/stats for some
# make bench   the benchmarks, which print ratios; BENCHMARKS=name for one
# make format  the source, formatted
# make clean   removes what the others made
#
# Each makes the virtual environment .venv and brings the system libraries it needs, once.

SHELL := /bin/bash
PYTHON ?=
OUT ?= report
TESTS ?=
JOBS ?= auto
BENCHMARKS ?=

BIN := .venv/bin
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check
BREW := $(shell [ "$$(uname)" = Darwin ] && brew --prefix 2>/dev/null)
# Pango of Homebrew is not where a Python from elsewhere looks for libraries.
LIBRARIES := $(if $(BREW),DYLD_FALLBACK_LIBRARY_PATH=$(BREW)/lib)

.PHONY: card test bench format clean
.DEFAULT_GOAL := card

# The example's gate fails on purpose (exit code 1): it holds a harm to find.
card: .venv/card.stamp
	@$(LIBRARIES) $(BIN)/reporter run configs/clinic.yaml --out $(OUT) || [ $$? -eq 1 ]
	@for file in card.html card.pdf report.json; do ls "$(abspath $(OUT))/$$file" || exit 1; done

test: .venv/test.stamp
	@JOBS=$(JOBS) .ci/checks $(TESTS)

bench: .venv/test.stamp
	@.ci/bench $(BENCHMARKS)

format: .venv/test.stamp
	$(BIN)/ruff check --fix reporter tests configs
	$(BIN)/ruff format reporter tests configs

clean:
	rm -rf .venv .cache build dist report .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis

.venv/pyvenv.cfg:
	@python="$$(PYTHON='$(PYTHON)' .ci/python)" && echo "Making .venv with $$python" && "$$python" -m venv .venv && $(PIP) install --upgrade pip

.venv/card.stamp: pyproject.toml .ci/parts | .venv/pyvenv.cfg
	@echo "Installing reporter into .venv"
	@$(PIP) install --editable .
	@if .ci/parts card $(BIN)/python; then touch $@; fi

.venv/test.stamp: pyproject.toml .ci/parts | .venv/pyvenv.cfg
	@echo "Installing reporter with all that its tests need into .venv"
	@$(PIP) install --editable '.[dev]'
	@if .ci/parts test $(BIN)/python; then touch $@ .venv/card.stamp; fi
