# Everything starts here: `make demo` and `make test` work from a bare clone with python3 and make alone.

PYTHON ?= python3
VENV   := .venv
PY     := $(VENV)/bin/python
STAMP  := $(VENV)/.installed
RUNS   := $(VENV)/.runs
SITE   := $(VENV)-docs/.installed
SPARK  := $(VENV)-spark/.installed
CLIENTS := $(VENV)-clients/.installed
WORKERS ?= 2
# Compiled files are kept, whatever the surroundings say: tests start many processes, which would compile all anew.
export PYTHONDONTWRITEBYTECODE :=
# Two workers have a core each: threads of matrix products would only wait for each other.
export OPENBLAS_NUM_THREADS ?= 1

.DEFAULT_GOAL := help
.PHONY: help setup clients system spark demo tour test quick check format bench soak teeth lock reference docs vendor clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(STAMP) ## a virtual environment in .venv with what requirements.lock names, checked by hash

# Debian ships python3 without ensurepip, which `python3 -m venv` needs: python3-venv brings it.
# Only wheels, and each with its hash: nothing that the lock does not name is fetched or run.
# requirements-demo.lock is the part of requirements.lock that Tacit, its charts and its server need; the rest is for
# developers. Nothing is compiled beforehand: what is imported is, when it is, and most of it never is.
$(RUNS): requirements-demo.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "Tacit needs Python 3.11 or newer; say which one with 'make setup PYTHON=python3.12'." >&2; exit 1; }
	@$(PY) -m pip --version >/dev/null 2>&1 || { \
		$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
			command -v apt-get >/dev/null \
				|| { echo "'$(PYTHON) -m venv' does not work: install the venv module of your Python." >&2; exit 1; }; \
			root=$$(test "$$(id -u)" = 0 || echo sudo); \
			$$root apt-get update -q && $$root env DEBIAN_FRONTEND=noninteractive apt-get install -qy python3-venv; } \
		&& $(PYTHON) -m venv --clear $(VENV); }
	$(PY) -m pip install -q --disable-pip-version-check --no-compile --only-binary :all: --require-hashes -r requirements-demo.lock
	$(PY) -m pip install -q --disable-pip-version-check --no-index --no-deps --no-build-isolation -e .
	@touch $(RUNS)

$(STAMP): requirements.lock $(RUNS)
	$(PY) -m pip install -q --disable-pip-version-check --no-compile --only-binary :all: --require-hashes -r requirements.lock
	@touch $(STAMP)

# The tests of the PostgreSQL ledger start a server of their own; without its programs they fail and say so.
# The tests of the survey page run it in Chromium; without it they fail and say so.
# The tests of the Spark engine start a server, which needs Java; without it they fail and say so.
# The tests of PostgreSQL's clients run psql, JDBC, ODBC and node as they are; without them they fail and say so.
CLIENT_PACKAGES := postgresql-client libpostgresql-jdbc-java default-jdk-headless odbc-postgresql unixodbc
system: ## PostgreSQL, its clients, Java, node and Chromium, where they are missing and Debian's packages are at hand
	@{ command -v psql && command -v javac && command -v isql && ls /usr/share/java/postgresql.jar; } >/dev/null 2>&1 \
		|| ! command -v apt-get >/dev/null || { \
		root=$$(test "$$(id -u)" = 0 || echo sudo); \
		$$root apt-get update -q && $$root env DEBIAN_FRONTEND=noninteractive \
			apt-get install -qy --no-install-recommends $(CLIENT_PACKAGES); }
	@command -v npm >/dev/null || ! command -v apt-get >/dev/null || { \
		root=$$(test "$$(id -u)" = 0 || echo sudo); \
		$$root apt-get update -q && $$root env DEBIAN_FRONTEND=noninteractive \
			apt-get install -qy --no-install-recommends nodejs npm; }
	@command -v initdb >/dev/null || ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || ! command -v apt-get >/dev/null || { \
		root=$$(test "$$(id -u)" = 0 || echo sudo); \
		$$root apt-get update -q && $$root env DEBIAN_FRONTEND=noninteractive \
			apt-get install -qy --no-install-recommends postgresql; }
	@command -v chromium >/dev/null || ! command -v apt-get >/dev/null || { \
		root=$$(test "$$(id -u)" = 0 || echo sudo); \
		$$root apt-get update -q && $$root env DEBIAN_FRONTEND=noninteractive \
			apt-get install -qy --no-install-recommends chromium; }

	@command -v java >/dev/null || ! command -v apt-get >/dev/null || { \
		root=$$(test "$$(id -u)" = 0 || echo sudo); \
		$$root apt-get update -q && $$root env DEBIAN_FRONTEND=noninteractive \
			apt-get install -qy --no-install-recommends default-jre-headless; }

# Spark has an environment of its own: half a gigabyte that nothing but the tests of its engine needs.  Its package is
# published as source alone; it is checked by its hash, and built with what the lock names, which is installed first.
$(SPARK): requirements-spark.lock $(RUNS)
	$(PYTHON) -m venv --clear $(VENV)-spark
	sed '/^pyspark==/,+1d' requirements-spark.lock > $(VENV)-spark/wheels.lock
	sed -n '/^pyspark==/,+1p' requirements-spark.lock > $(VENV)-spark/source.lock
	$(VENV)-spark/bin/python -m pip install -q --disable-pip-version-check --no-compile --no-deps --only-binary :all: \
		--require-hashes -r $(VENV)-spark/wheels.lock
	$(VENV)-spark/bin/python -m pip install -q --disable-pip-version-check --no-compile --no-deps --no-build-isolation \
		--require-hashes -r $(VENV)-spark/source.lock
	@touch $(SPARK)

spark: $(SPARK) ## Spark in .venv-spark, for the tests and the bench of its engine

demo: $(RUNS) ## a vault over a clinic's real data: answers on the screen, the vault and a chart in out/demo
	@if test -e out/demo; then \
		echo "The vault of the demo is there already, with what was asked of it, and is kept: out/demo/clinic"; \
		echo "To see the demo again, remove it first: rm -r out/demo"; \
	else mkdir -p out && $(VENV)/bin/tacit demo out/demo; fi

tour: $(RUNS) ## the mechanisms in a minute: figures on the screen, a picture in out/
	@mkdir -p out
	$(PY) docs/tour.py

test: check system clients spark docs ## the checks, the site, then every test; CPU seconds per folder at the end
	$(PY) -m pytest -n $(WORKERS) --dist worksteal

quick: setup ## the tests of one room, in under a minute: make quick ROOM=plan
	@test -d "tests/unit/$(ROOM)" && test -n "$(ROOM)" \
		|| { echo "say which room: make quick ROOM=plan (or $$(ls tests/unit | grep -v '\.' | tr '\n' ' '))" >&2; exit 1; }
	$(PY) -m pytest -q -n $(WORKERS) tests/unit/$(ROOM)

check: setup ## style, format and types, as in CI
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy $(if $(CI),--cache-dir=/dev/null) # a clean clone has no cache to gain from, and writing one takes long

format: setup ## mend what ruff can mend
	$(PY) -m ruff check --fix-only .
	$(PY) -m ruff format .

bench: setup system spark ## ratios against peers and floors
	$(PY) bench/run.py

soak: setup system clients spark docs ## the long tests
	HYPOTHESIS_PROFILE=soak $(PY) -m pytest -n $(WORKERS) --dist worksteal -m "soak or drawn"

teeth: setup system spark ## plant every known bug and see that its test fails; ARGS=--survives also runs the room's other tests
	$(PY) -m tests.teeth --workers $(WORKERS) $(ARGS)

reference: setup ## docs/reference.md, from the docstrings
	$(PY) docs/reference.py

# Sphinx and its theme have an environment of their own: nothing else needs them.
$(SITE): requirements-docs.lock $(RUNS)
	$(PYTHON) -m venv --clear $(VENV)-docs
	$(VENV)-docs/bin/python -m pip install -q --disable-pip-version-check --no-compile --only-binary :all: --require-hashes -r requirements-docs.lock
	@touch $(SITE)

# Other people's clients of PostgreSQL have an environment of their own; what they share with ours they take from it.
$(CLIENTS): requirements-clients.lock tests/clients/programs/package.json $(STAMP)
	$(PYTHON) -m venv --clear --without-pip $(VENV)-clients
	$(PY) -m pip --python $(VENV)-clients/bin/python install -q --disable-pip-version-check --no-compile --no-deps \
		--only-binary :all: --require-hashes -r requirements-clients.lock
	$(PY) -c 'import sysconfig; print(sysconfig.get_path("purelib"))' \
		> "$$($(VENV)-clients/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/tacit.pth"
	cp tests/clients/programs/package.json $(VENV)-clients
	cd $(VENV)-clients && npm install --no-package-lock --ignore-scripts --no-audit --no-fund --silent
	@touch $(CLIENTS)

clients: $(CLIENTS) ## what the tests of PostgreSQL's clients run: drivers in .venv-clients, node's packages beside them

docs: $(SITE) ## the documentation site in out/docs, and the printable companion; broken links fail it
	$(VENV)-docs/bin/python docs/site/build.py

COMPILE := --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-emit-find-links --no-header --no-annotate -q
lock: setup ## requirements.lock anew, from pyproject.toml, and the part of it that `make demo` needs
	$(PY) -m uv pip compile pyproject.toml --extra plot --extra server --extra dev $(COMPILE) -o requirements.lock
	printf 'hatchling\neditables\n' | $(PY) -m uv pip compile pyproject.toml - --extra plot --extra server -c requirements.lock $(COMPILE) \
		-o requirements-demo.lock
	$(PY) -m uv pip compile docs/site/requirements.in $(COMPILE) -o requirements-docs.lock
	$(PY) -m uv pip compile tests/clients/requirements.in -c requirements.lock $(COMPILE) -o requirements-clients.lock
	$(PY) -m uv pip compile tests/spark-requirements.in --no-deps $(COMPILE) -o requirements-spark.lock
	@! grep -n '://' requirements-clients.lock requirements.lock requirements-demo.lock requirements-docs.lock requirements-spark.lock

VENDOR := src/tacit/server/http/vendor
JUDGE := tests/browser/vendor
vendor: ## the workbench's editor and the tests' axe-core anew, from the locked packages; their hashes have to stay the same
	@rm -rf build/vendor && mkdir -p build/vendor && cp $(VENDOR)/package*.json $(VENDOR)/editor.js build/vendor
	cd build/vendor && npm ci --ignore-scripts --no-audit --no-fund --silent
	cd build/vendor && node_modules/@esbuild/*/bin/esbuild editor.js --bundle --minify --format=iife --target=es2020 \
		--legal-comments=none --outfile=editor.min.js --log-level=warning
	cd build/vendor && sha256sum --check ../../$(VENDOR)/SHA256
	cmp build/vendor/editor.min.js src/tacit/server/http/static/editor.min.js
	@rm -rf build/judge && mkdir -p build/judge && cp $(JUDGE)/package*.json build/judge
	cd build/judge && npm ci --ignore-scripts --no-audit --no-fund --silent
	cd build/judge/node_modules/axe-core && sha256sum --check ../../../../$(JUDGE)/SHA256
	cmp build/judge/node_modules/axe-core/axe.min.js $(JUDGE)/axe.min.js

clean: ## what the other targets made
	rm -rf $(VENV) $(VENV)-docs $(VENV)-clients $(VENV)-spark .bench out build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -not -path './.git/*' -prune -exec rm -rf {} +
