# The tasks of a KEYNS developer. `make` alone lists the targets.

.DEFAULT_GOAL := help
.PHONY: help setup build run demo tour test fuzz lint matrix bench count plots growth coverage \
	fuzz-core sanitize valgrind soak fresh-test dist dist-test image image-test clean \
	free-port modules peers
# The steps of a target depend on each other, and cargo uses all cores anyway.
.NOTPARALLEL:

# redis.conf.example, the scripts and the tests look for the modules in ./target, whatever
# target folder the user's own cargo settings name.
export CARGO_TARGET_DIR := $(CURDIR)/target

PORT ?= 6379
export PORT
MINUTES ?= 10
BENCH := scripts/reproducibly cargo run --quiet --release --package keyns-bench --

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' Makefile

setup: ## Install missing tools (the other targets do this too)
	@scripts/setup

build: setup ## Build the module: target/release/libkeyns.so
	scripts/reproducibly cargo build --release

run: free-port build ## Start a throw-away server with the module and show a tour (PORT=6379)
	@scripts/run

demo: build ## Play a two-minute story on a throw-away server (PACE=0: no pauses)
	@scripts/demo

test: modules ## Run all tests, on this machine's redis-server or on KEYNS_SERVER
	@scripts/setup test
	cargo test --workspace --features panic-command

fuzz: modules ## Send hostile calls to live servers (SECONDS=120; SEED=n replays a failure)
	@scripts/setup test
	KEYNS_FUZZ_SECONDS=$(or $(SECONDS),120) KEYNS_FUZZ_SEED=$(SEED) \
		cargo test --features panic-command --test fuzz whatever -- --nocapture

lint: ## Check formatting, clippy, the fuzz targets, the Rust example and the shell scripts
	@scripts/setup lint
	cargo fmt --all --check
	cargo fmt --check --manifest-path fuzz/Cargo.toml
	cargo fmt --check --manifest-path examples/rust/Cargo.toml
	cargo clippy --workspace --all-targets --all-features -- -D warnings
	cargo clippy --locked --manifest-path examples/rust/Cargo.toml -- -D warnings
	@# Nothing is linked, so any file will do for libFuzzer, which would be compiled otherwise.
	CUSTOM_LIBFUZZER_PATH=/dev/null cargo check --locked --manifest-path fuzz/Cargo.toml
	@if command -v shellcheck >/dev/null; then set -x; shellcheck scripts/* .ci/run docker/entrypoint docker/healthcheck \
		tests/image/run tests/image/build tests/image/bases tests/image/serve tests/image/pair tests/image/*.bash; fi

matrix: modules ## Run the server tests on Redis 7.0 and 8.0, Valkey 8.1 and 9.1
	@scripts/setup test matrix
	@scripts/matrix

tour: build ## Write docs/tour.md from the demo
	@mkdir -p target
	scripts/demo --markdown >target/tour.md
	mv target/tour.md docs/tour.md

bench: peers ## Run all benchmarks on a quiet machine (FAMILY=rate for one family, KEEP=1 to record nothing)
	FAMILY="$(FAMILY)" PART="$(PART)" KEEP="$(KEEP)" $(BENCH) all

count: peers ## Count the instructions of every command, on any machine (FAMILY and KEEP as for bench)
	FAMILY="$(FAMILY)" PART="$(PART)" KEEP="$(KEEP)" $(BENCH) count

plots: ## Draw the picture of the benchmarks from the recorded numbers
	$(BENCH) plots

growth: build ## Measure how costs grow with the size of the work (AXIS=keys for one axis)
	AXIS="$(AXIS)" $(BENCH) growth

coverage: ## Measure which lines the tests run (TESTS=server selects the targets with servers)
	@scripts/setup test coverage
	@scripts/coverage

fuzz-core: ## Fuzz the core (SECONDS=60 for each target, TARGETS='slug outline')
	@scripts/setup fuzz
	@FUZZ_SECONDS="$(SECONDS)" scripts/fuzz-core

sanitize: ## Run the tests of the core with AddressSanitizer
	@scripts/setup
	@scripts/sanitize

valgrind: modules ## Run server tests on a server under valgrind (FILTERS='naming::slugs:: rate::')
	@scripts/setup test valgrind
	@scripts/valgrind

fresh-test: ## Follow the README on a fresh Debian (SUITE=bookworm, TRY='run test user')
	@scripts/setup fresh
	@scripts/fresh-test $(or $(SUITE),trixie) $(TRY)

soak: build ## Run all families at once, with replicas, saves and a restart (MINUTES=10)
	$(BENCH) soak "$(MINUTES)"

dist: build ## Pack a release: target/dist/keyns-<version>-linux-<arch>.tar.gz
	@scripts/dist
	@scripts/dist-try

dist-test: setup ## Build the last commit twice in different folders and compare the bytes
	@scripts/dist-test

image: ## Build the Docker image 'keyns' (SERVER_IMAGE=valkey/valkey:8.1.8-trixie for Valkey)
	$(or $(DOCKER),docker) build --tag keyns \
		--build-arg VERSION=$(shell scripts/version) \
		$(if $(SERVER_IMAGE),--build-arg SERVER_IMAGE=$(SERVER_IMAGE)) .

image-test: ## Build and test the images for Redis and Valkey without Docker (needs root)
	@scripts/setup matrix image
	@tests/image/run

clean: ## Remove everything built, including the Debian systems for tests
	@for dir in target/fresh target/matrix target/image; do \
		if [ -e $$dir ]; then scripts/as-root rm -rf --one-file-system $$dir; fi; done
	cargo clean

# Build everything before measuring. Without redis-cell, measure the others.
peers: build
	@scripts/setup bench
	@scripts/redis-cell >/dev/null || true

# Runs before the build, to report a taken port at once.
free-port:
	@scripts/port-free "$$PORT"

# The tests load two modules: the released one, and one with KEYNS.PANIC.
modules: build
	cargo build --features panic-command
