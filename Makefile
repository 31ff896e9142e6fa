# The two commands of the README: make demo, make test. Both set up what they need, from python3
# with its venv module, gcc and the package registries, as an ordinary user.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin

.PHONY: demo test test-all fresh golden pictures docs man setup lint lock bench-accuracy bench-peers bench-vm clean

demo: $(VENV)/.ready
	$(BIN)/whyfast run studies/dispatch --quick --html dispatch.html
	@echo "More: ./$(BIN)/whyfast report dispatch -v; open dispatch.html in a browser."

# With bytecode, or each of the many Pythons that the tests start compiles all modules again.
test: export PYTHONDONTWRITEBYTECODE =
test: $(VENV)/.ready-dev
	$(BIN)/ruff check src tests bench web
	$(BIN)/ruff format --check src tests bench web
	@# mypy takes one core; meanwhile the other compiles the tests and fetches what they need.
	$(BIN)/mypy & $(BIN)/python -m pytest -q --collect-only >/dev/null; \
	    $(BIN)/python -m tests.prepare; prepared=$$?; wait $$! && exit $$prepared
	@# Tests that time real programs and failed have a second chance, with the machine to themselves.
	$(BIN)/python -m pytest -q -n 2 --dist loadfile --no-loadscope-reorder || { test $$? = 1 && \
	    $(BIN)/python -m pytest -q --last-failed --last-failed-no-failures none --measured-again; }

# Tests that take long too, and those of the wheel under every Python from 3.11 on that this machine has.
test-all: test $(VENV)/.ready-docs
	$(BIN)/python -m pytest -q -m long
	$(BIN)/python -m tests.every_python

# make test in a new minimal Debian, as an ordinary user who logs in; needs root and mmdebstrap.
SUITE ?= trixie
fresh:
	tests/fresh-root $(SUITE) all "make test"

# Writes the documents of tests/golden again; git diff tests/golden shows what changed for readers.
golden: $(VENV)/.ready-dev
	WHYFAST_GOLDEN=write $(BIN)/python -m pytest -q -m golden tests/unit tests/subjects

# Makes the README's pictures again, of the last result of make demo.
pictures: $(VENV)/.ready-dev
	$(BIN)/python -m tests.install_chromium
	$(BIN)/python -m bench.pictures

# The documentation as a site, build/site/index.html, and manual pages, build/man/man1. The gallery has
# the studies that were run here, or runs two that take a minute each; RUN="dispatch" runs others first.
docs: $(VENV)/.ready-docs
	$(BIN)/python -m web.build build/site --run $(RUN)

man: $(VENV)/.ready-docs
	$(BIN)/python -m web.manual build/man

setup: $(VENV)/.ready

lint: $(VENV)/.ready-dev
	$(BIN)/ruff check --fix src tests bench web
	$(BIN)/ruff format src tests bench web
	$(BIN)/mypy

$(VENV)/bin/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "whyfast needs Python 3.11 or newer")'
	@# Without ensurepip, venv fails and leaves a Python without pip behind: not to be taken for done.
	$(PYTHON) -m venv $(VENV) || { rm -f $@; exit 1; }

# The lock files pin every package with its hash.
$(VENV)/.ready: requirements.lock pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	touch $@

$(VENV)/.ready-dev: requirements-dev.lock $(VENV)/.ready
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.lock
	touch $@

$(VENV)/.ready-docs: requirements-docs.lock $(VENV)/.ready
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-docs.lock
	touch $@

# About 20 minutes on an otherwise idle machine; compares with hyperfine where it is installed.
bench-accuracy: $(VENV)/.ready-dev
	$(BIN)/python -m bench.accuracy

# Half widths and verdicts beside a t test, hyperfine, pyperf, benchstat and Criterion; 15 minutes of a quiet machine.
bench-peers: $(VENV)/.ready-dev
	$(BIN)/python -m bench.peers --json peers.json --minutes 15

# subjects/ebpf-vm beside uBPF (UBPF=FOLDER, an installed one), rbpf and native code; about four minutes.
bench-vm: $(VENV)/.ready-dev
	$(BIN)/python -m bench.vm $(if $(UBPF),--ubpf $(UBPF))

# Needs uv; for maintainers, after a change of pyproject.toml.
lock:
	uv pip compile --python-version 3.11 --universal --generate-hashes --no-header --quiet \
	    --no-emit-index-url --no-emit-find-links --extra build --extra foreign pyproject.toml -o requirements.lock
	uv pip compile --python-version 3.11 --universal --generate-hashes --no-header --quiet \
	    --no-emit-index-url --no-emit-find-links --extra dev pyproject.toml -o requirements-dev.lock
	uv pip compile --python-version 3.11 --universal --generate-hashes --no-header --quiet \
	    --no-emit-index-url --no-emit-find-links --extra docs -c requirements-dev.lock \
	    pyproject.toml -o requirements-docs.lock

clean:
	rm -rf $(VENV) .venvs .mypy_cache .ruff_cache .pytest_cache .hypothesis dispatch.html
