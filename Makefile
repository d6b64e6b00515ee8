# Every target does all its own set-up: missing Debian packages are installed (as root or through sudo) and named.
SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := build
JOBS ?= $(shell nproc)
export CCACHE_SLOPPINESS ?= pch_defines,time_macros
export CCACHE_BASEDIR ?= $(CURDIR)
export CCACHE_NOHASHDIR ?= 1
export ASAN_OPTIONS ?= allocator_may_return_null=1

.PHONY: help build test demo bench lint format asan tsan clean

help:  ## show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build:  ## the optimized program, left at build/release/fovea
	@scripts/bootstrap build
	@cmake --preset release
	@cmake --build --preset release -j $(JOBS) --target fovea_program

test:  ## build everything and run all tests
	@scripts/bootstrap build test
	@cmake --preset release
	@cmake --build --preset release -j $(JOBS)
	@cmake --build --preset release -j $(JOBS) --target all_verify_interface_header_sets
	@ctest --preset release -j $(JOBS)

demo: build  ## draw the gallery into build/demo
	@build/release/fovea demo -o build/demo
	@echo "the gallery is at build/demo/index.html"

bench:  ## measure every operation beside its rivals
	@scripts/bootstrap build bench
	@cmake --preset release
	@cmake --build --preset release -j $(JOBS)
	@build/release/fovea bench ops

lint:  ## formatting, static analysis, structure
	@scripts/bootstrap build lint
	@scripts/lint

format:  ## lay out every source file
	@scripts/bootstrap lint
	@git ls-files -z '*.h' '*.cpp' '*.cu' '*.cuh' | xargs -0 clang-format-14 -i

FLOORS ?= core io ops report people flow cli
REPLAYS := $(notdir $(wildcard fuzz/seeds/*))
asan tsan:  ## the tests of FLOORS and the fuzzers' seeds under a sanitizer
	@scripts/bootstrap build test
	@cmake --preset $@
	@cmake --build --preset $@ -j $(JOBS) --target $(FLOORS:%=test_%) $(REPLAYS:%=replay_%)
	@for floor in $(FLOORS); do build/$@/tests/test_$$floor --gtest_brief=1; done  # one process a floor: a leak check at its end takes seconds
	@for name in $(REPLAYS); do build/$@/fuzz/replay_$$name fuzz/seeds/$$name; done

clean:  ## remove everything built
	@rm -rf build
