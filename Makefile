# Needs Python >= 3.11, git and make; everything else goes into .venv, from locks/. See CONTRIBUTING.md.
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:

BIN := .venv/bin
STEP := .ci/step
WATCHED := .ci/watched
READY := .venv/.ready

# ARGS go to the demo and to the benchmarks, PYTEST_ARGS to every run of pytest: make fast PYTEST_ARGS='-x tests/core'.
ARGS ?=
PYTEST_ARGS ?=
PYTEST := $(BIN)/pytest $(PYTEST_ARGS)

# More processes than processors, because most of what takes long waits; tests of one real server share one of them. What is
# fast computes, or waits for moments only; tests of a file share a process there, because they share what they set up.
BESIDE ?= --numprocesses=4 --dist=loadgroup
COMPUTING ?= --numprocesses=3 --dist=loadfile

LOCK := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
        --no-header --no-emit-index-url --no-emit-find-links $(LOCK_ARGS)

# The tests start hundreds of processes. Where Python may not keep what it has compiled, each compiles for two seconds.
export PYTHONDONTWRITEBYTECODE :=

# uv trusts what it brings along; a company's own certificates are among the system's, so it is told to use those.
ifneq ($(wildcard /etc/ssl/certs/ca-certificates.crt /etc/pki/tls/certs/ca-bundle.crt /etc/ssl/cert.pem),)
UV_SYSTEM_CERTS ?= true
export UV_SYSTEM_CERTS
endif

# An environment holds the path it was made at: one that was moved is not ready.
ifneq ($(shell cat $(READY) 2>/dev/null),$(CURDIR))
$(READY): moved
endif

.PHONY: help
help: ## say what there is
	@echo 'make TARGET, where TARGET is one of'
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1|\2/p' Makefile | while IFS='|' read -r target what; do \
	    printf '%-14s %s\n' "$$target" "$$what"; done

# The build of the package makes it, too; here it is made again where what it is made of changes.
COMPILED := config/error-categories.msgpack
COMPILED_FROM := $(wildcard config/error-categories.yaml config/packs/*.yaml $(addprefix agent/, __init__.py rule_files.py \
    compiled_rules/*.py core/classify/rules.py core/classify/matchers/*.py documents/*.py manifests/fields.py \
    manifests/categories/*.py manifests/matchers/*.py))

.PHONY: setup
setup: $(READY) $(COMPILED) ## make .venv, with what the locks name, and compile the rules that ship
	@:

# Rules with an error are no reason not to run what finds it.
$(COMPILED): $(COMPILED_FROM) | $(READY)
	-@$(BIN)/python -m agent.rule_files

$(READY): pyproject.toml locks/bootstrap.txt locks/dev.txt
	@command -v git >/dev/null || { echo 'git is needed and not on the PATH.' >&2; exit 1; }
	@rm -f $@
	@python=$$(.ci/python) && $(STEP) setup 900 .ci/setup "$$python"
	@echo '$(CURDIR)' >$@

.PHONY: moved
moved:
	@if [ -e $(READY) ]; then rm -rf .venv; fi

.PHONY: ui
ui: setup ## build the pages of Lookout, unless they are there; needs the npm registry
	@$(STEP) ui 600 $(BIN)/python ui/build.py

.PHONY: stories
stories: ui ## play what people want of the pages in a browser, and say each step; pictures of each are in build/pages
	@$(STEP) stories 900 $(PYTEST) -s tests/lookout/pages/stories

.PHONY: screenshots
screenshots: stories ## make the pictures of the pages in docs/pages again
	@$(BIN)/python -m tests.lookout.pages.stories.pictures docs/pages

# Without its pages the demo runs as well, and says so where it names the address.
.PHONY: demo
demo: setup ## watch jobs fail on two simulated clusters and run again; ARGS='--for 60s' goes to the demo
	@[ "$$AGENT_SKIP_UI" = 1 ] || $(BIN)/python ui/build.py || :
	@$(BIN)/failure-agent demo $(ARGS)

.PHONY: test
test: lint format types contracts proto proto-breaking dockerfile drift ui-check tests ## all checks and all tests but the long ones

.PHONY: lint
lint: setup ## ruff's rules
	@$(STEP) lint 120 $(BIN)/ruff check .

.PHONY: format
format: setup ## ruff's format
	@$(STEP) format 120 $(BIN)/ruff format --check .

.PHONY: types
types: setup ## mypy, strict
	@$(STEP) types 600 $(BIN)/mypy

.PHONY: contracts
contracts: setup ## what each room may import
	@$(STEP) contracts 300 $(BIN)/lint-imports

.PHONY: proto
proto: setup ## style of the contract
	@$(STEP) 'contract: style' 120 $(BIN)/buf lint

.PHONY: proto-breaking
proto-breaking: setup ## the contract against the last release's
	@$(STEP) 'contract: last release' 300 .ci/breaking

.PHONY: dockerfile
dockerfile: setup ## hadolint
	@$(STEP) dockerfile 120 $(BIN)/hadolint Dockerfile

.PHONY: ui-check
ui-check: ui ## types, lint and tests of the pages' own code
	@$(STEP) 'pages: types, lint, tests' 300 $(BIN)/python ui/build.py check

.PHONY: drift
drift: setup ## generated files are what they are generated from
	@$(STEP) drift 300 .ci/generate --check

.PHONY: servers
servers: setup ## make the real servers that tests want, once; needs Go, Java, Maven, 5 GB and minutes
	@$(STEP) servers 2700 $(BIN)/python -m tests.servers prepare

.PHONY: kubectl
kubectl: setup ## make kubectl and the API server of the tests, once; needs Go, 4 GB and minutes
	@$(STEP) kubectl 2700 $(BIN)/python -m tests.servers prepare kubernetes

# Without their pages, the tests of Lookout's are skipped and say so; under CI they fail.
.PHONY: tests
tests: setup $(if $(filter true,$(CI)),servers) ## all tests but the long ones
	@[ "$$AGENT_SKIP_UI" = 1 ] || $(BIN)/python ui/build.py || :
	@$(STEP) tests 4200 .ci/tests $(PYTEST) -m 'not long' $(BESIDE) --durations=15

.PHONY: fast
fast: setup ## lint, and the tests that take about a minute together
	@$(STEP) lint 120 $(BIN)/ruff check .
	@$(STEP) 'fast tests' 900 $(WATCHED) $(PYTEST) -m 'not slow and not long' $(COMPUTING)

.PHONY: long
long: setup ## what takes minutes to hours; fuzz with 100,000 inputs a target is part of it
	@$(STEP) 'long tests' 43200 $(PYTEST) -m long --durations=15 --timeout=7200
	@$(STEP) 'laws, at length' 14400 env HYPOTHESIS_PROFILE=long $(PYTEST) -m 'not slow and not long' $(COMPUTING) --timeout=7200
	@$(STEP) 'successful logs' 3600 $(BIN)/python -m tests.evidence.successful.make --check

.PHONY: successful
successful: setup ## run tools that succeed and pack their logs again, for tests/evidence; needs the network and an hour
	@$(STEP) 'successful logs' 14400 $(BIN)/python -m tests.evidence.successful.make
	@$(STEP) 'pack of successful logs' 3600 $(BIN)/python -m tests.evidence.successful.make --pack

.PHONY: fuzz
fuzz: setup ## hostile pods, rule files and log rows for a minute
	@$(STEP) fuzz 900 env FUZZ_SECONDS=60 $(WATCHED) $(PYTEST) tests/fuzz -m 'not long' --numprocesses=3

.PHONY: bench
bench: setup ## all benchmarks, as one table; ARGS='--compare FILE' shows what a kept one has
	@$(STEP) bench 14400 $(BIN)/python -m bench $(ARGS)

.PHONY: bench-quick
bench-quick: setup ## four benchmarks in two minutes; below 85 % of a target the median of three runs decides
	@$(STEP) 'quick benchmarks' 1800 $(BIN)/python -m bench --quick --floor 0.85 --again 2 classify path startup watch $(ARGS)

.PHONY: demo-check
demo-check: setup ## a short demo that must lose nothing and end every job
	@mkdir -p build
	@$(STEP) demo 180 sh -c '$(BIN)/failure-agent demo --json --for 20s >build/demo.out && $(BIN)/python -m tests.ground.demo_holds build/demo.out'

.PHONY: generate
generate: setup ## write agent/api, docs/settings.md, docs/lookout-openapi.json, docs/explain.svg, the filters of docs/finding.md
	@$(STEP) generate 300 .ci/generate

.PHONY: locks
locks: setup ## write the locks anew; LOCK_ARGS=--upgrade takes newer versions
	$(LOCK) locks/bootstrap.in -o locks/bootstrap.txt
	$(LOCK) pyproject.toml -o locks/runtime.txt
	$(LOCK) pyproject.toml --group dev -c locks/runtime.txt -o locks/dev.txt
	$(LOCK) locks/build.in -c locks/dev.txt -o locks/build.txt

.PHONY: clean
clean: ## remove .venv and all that was built
	rm -rf .venv build dist $(COMPILED) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
