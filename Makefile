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

# A first build takes what the machine can run: the CUDA sources, which take twice as long as all others, only where a GPU
# answers or CUDA=ON is given. A folder that is configured already keeps what it was configured for.
CUDA ?=
cuda_given := $(if $(CUDA),-DFOVEA_CUDA=$(CUDA))
cuda_first = $(or $(cuda_given),$(shell nvidia-smi -L >/dev/null 2>&1 && echo -DFOVEA_CUDA=AUTO || echo -DFOVEA_CUDA=OFF))
no_tests_yet = $(if $(wildcard build/release/build.ninja),,-DFOVEA_TESTS=OFF)
first_build = $(if $(wildcard build/release/build.ninja),$(cuda_given),$(cuda_first) $(no_tests_yet) -DFOVEA_BENCH=OFF)

build:  ## the optimized program, left at build/release/fovea (CUDA=ON builds the CUDA sources too)
	@scripts/bootstrap build
	@scripts/configure release $(first_build)
	@cmake --build --preset release -j $(JOBS) --target fovea_program

test:  ## build everything, with CUDA where nvcc is found, and run all tests
	@scripts/bootstrap build test
	@scripts/configure release -DFOVEA_TESTS=ON -DFOVEA_BENCH=ON $(or $(cuda_given),-DFOVEA_CUDA=AUTO)
	@cmake --build --preset release -j $(JOBS) --target all all_verify_interface_header_sets
	@ctest --preset release -j $(JOBS)

demo: build  ## draw the gallery into build/demo
	@build/release/fovea demo -o build/demo
	@echo "the gallery is at build/demo/index.html"

bench:  ## measure every operation beside its rivals
	@scripts/bootstrap build bench
	@scripts/configure release -DFOVEA_BENCH=ON $(or $(cuda_given),-DFOVEA_CUDA=AUTO) $(no_tests_yet)
	@cmake --build --preset release -j $(JOBS) --target fovea_program fovea_bench fovea_rivals
	@build/release/fovea bench ops

lint:  ## formatting, static analysis, structure
	@scripts/bootstrap build lint
	@scripts/lint

format:  ## lay out every source file
	@scripts/bootstrap lint
	@git ls-files -z '*.h' '*.cpp' '*.cu' '*.cuh' | xargs -0 clang-format-14 -i

FLOORS ?= core io ops report people flow emd scenes mesh actions cli
REPLAYS := $(notdir $(wildcard fuzz/seeds/*))
asan tsan:  ## the tests of FLOORS and the fuzzers' seeds under a sanitizer
	@scripts/bootstrap build test
	@scripts/configure $@
	@cmake --build --preset $@ -j $(JOBS) --target $(FLOORS:%=test_%) $(REPLAYS:%=replay_%)
	@scripts/sanitized build/$@ -j $(JOBS) $(FLOORS:%=tests/test_%) $(REPLAYS:%=fuzz/replay_%)

clean:  ## remove everything built
	@rm -rf build
