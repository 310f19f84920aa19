# Two commands are enough: `make play` and `make test`. Each sets up all it needs in .venv.
SHELL := /bin/sh
bin := .venv/bin
.DEFAULT_GOAL := help
.PHONY: help play wheel test proof soak check web kernels lint bench screenshots lock clean

help:  ## what can be made here
	@sed -n 's/^\([a-z]*\):.*## /  make \1\t/p' Makefile

play:  ## a server, and the browser to play in (options: ARGS="--port 9000")
	@scripts/venv play
	@scripts/web
	@$(bin)/sideboards serve --open $(ARGS)

wheel:  ## the package as one file in dist/, the same bytes wherever it is made
	@scripts/venv play
	@scripts/web
	@$(bin)/python -m hatchling build --target wheel

test: kernels web  ## everything: lint, types, import layers, dead code, all tests, docs
	@scripts/system
	@$(bin)/python -m scripts.suites

proof: web  ## only the proof, short form; again with the same chance: make proof SEED=12345
	@scripts/system
	@SIDEBOARDS_SEED=$(SEED) $(bin)/python -m scripts.suites proof

soak: kernels web  ## the proof for hours, in turn and to be resumed: make soak HOURS=24
	@scripts/system
	@$(bin)/python -m proof soak --hours $(or $(HOURS),1)

check: lint kernels web  ## the fast daily form: all but the long tests, under a minute
	$(bin)/pytest --numprocesses=auto -m "not long"

web:
	@scripts/venv test
	@scripts/web

kernels:
	@scripts/venv test
	@$(bin)/python -m scripts.warm

lint:
	@scripts/venv test
	$(bin)/ruff format --check --quiet .
	$(bin)/ruff check --quiet .
	$(bin)/mypy
	$(bin)/lint-imports --no-cache
	$(bin)/vulture
	$(bin)/python -m scripts.make_types --check
	@scripts/web check

bench:  ## how fast it is: rates beside their goals, then beside those of other projects
	@scripts/venv test
	@$(bin)/python -m bench

screenshots:  ## renew the pictures of the README from the running product
	@scripts/venv test
	@scripts/web
	@$(bin)/python -m scripts.screenshots

lock:  ## renew the pinned requirements after a change of pyproject.toml
	@scripts/venv test
	$(bin)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --upgrade \
		--no-emit-index-url --no-header --no-annotate \
		pyproject.toml --extra fast --extra serve --group setup --output-file requirements/play.txt
	$(bin)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --upgrade \
		--no-emit-index-url --no-header --no-annotate \
		pyproject.toml --all-extras --group setup --group dev --output-file requirements/test.txt
	$(bin)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --upgrade \
		--no-emit-index-url --no-header --no-annotate \
		--group peers --output-file requirements/peers.txt
	$(bin)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --upgrade \
		--no-emit-index-url --no-header --no-annotate \
		--group node --output-file requirements/node.txt

clean:  ## remove the environments and all caches
	rm -rf .venv .venv-peers .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache dist \
		web/node_modules src/sideboards/service/static
