# Every target does all its own set-up: missing Debian packages are installed (as root or through sudo) and named.
SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := build
JOBS ?= $(shell nproc)
# A precompiled header only serves sources beside the very bytes that it was made of: CCACHE_DEPEND keeps the compiler cache
# from giving one whose headers had other comments.
export CCACHE_DEPEND ?= 1
export CCACHE_SLOPPINESS ?= pch_defines,time_macros
export CCACHE_BASEDIR ?= $(CURDIR)
export CCACHE_NOHASHDIR ?= 1
export ASAN_OPTIONS ?= allocator_may_return_null=1
export TSAN_OPTIONS ?= allocator_may_return_null=1 suppressions=$(CURDIR)/scripts/tsan_suppressions.txt

.PHONY: help build python test demo bench lint format asan tsan clean

help:  ## show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# A build takes what the machine can run: the CUDA sources, which take twice as long as all others, only where a GPU
# answers or CUDA=ON is given, and SIMD code only for the best instruction set of the processor unless SIMD=ALL is given.
# Benchmarks and rivals are compiled by `make bench`, and where BENCH=ON is given. A folder that is configured already keeps
# what it was configured for.
CUDA ?=
SIMD ?=
BENCH ?=
given := $(if $(CUDA),-DFOVEA_CUDA=$(CUDA)) $(if $(SIMD),-DFOVEA_SIMD=$(SIMD)) $(if $(BENCH),-DFOVEA_BENCH=$(BENCH))
a_gpu = $(shell nvidia-smi -L >/dev/null 2>&1 && echo AUTO || echo OFF)
configured := $(wildcard build/release/build.ninja)
no_tests_yet = $(if $(configured),,-DFOVEA_TESTS=OFF)
first_build = -DFOVEA_CUDA=$(or $(CUDA),$(a_gpu)) -DFOVEA_SIMD=$(or $(SIMD),NATIVE) -DFOVEA_BENCH=$(or $(BENCH),OFF)
settings = $(if $(configured),$(given),$(first_build))

build:  ## the optimized program, left at build/release/fovea (CUDA=ON: with GPU code; SIMD=ALL: for every processor)
	@scripts/bootstrap build
	@scripts/configure release $(settings) $(no_tests_yet)
	@cmake --build --preset release -j $(JOBS) --target fovea_program

python:  ## the Python package as a wheel in build/wheel (CUDA=ON: with GPU code; SIMD=NATIVE: for this processor alone)
	@scripts/bootstrap build python
	@FOVEA_CUDA=$(or $(CUDA),OFF) FOVEA_SIMD=$(or $(SIMD),ALL) JOBS=$(JOBS) scripts/wheel
	@echo "install it with: python3 -m pip install build/wheel/*.whl"

test:  ## build the program, the library and its tests, and run all of them (CUDA=ON, SIMD=ALL: as for make build)
	@scripts/bootstrap build python test
	@scripts/configure release $(settings) -DFOVEA_TESTS=ON
	@cmake --build --preset release -j $(JOBS)
	@scripts/run_tests release -j $(JOBS)

demo: build  ## draw the gallery into build/demo
	@cmake --build --preset release -j $(JOBS) --target fovea_demo_program
	@build/release/fovea demo -o build/demo
	@echo "the gallery is at build/demo/index.html"

bench:  ## measure every operation beside its rivals
	@scripts/bootstrap build bench
	@scripts/configure release $(settings) $(no_tests_yet) -DFOVEA_BENCH=ON
	@cmake --build --preset release -j $(JOBS) --target fovea_program fovea_bench_program fovea_kernels fovea_rivals
	@build/release/fovea bench ops

lint:  ## formatting, static analysis, structure
	@scripts/bootstrap build lint
	@scripts/lint

format:  ## lay out every source file
	@scripts/bootstrap lint
	@git ls-files -z '*.h' '*.cpp' '*.cu' '*.cuh' | xargs -0 clang-format-14 -i

FLOORS ?= core io ops report cluster people flow emd scenes mesh actions operations places view cli bench demo
REPLAYS := $(notdir $(wildcard fuzz/seeds/*))
empty :=
the_floors = ^($(subst $(empty) ,|,$(strip $(FLOORS) fuzz)))\.
asan tsan:  ## the tests of FLOORS and the fuzzers' seeds under a sanitizer
	@scripts/bootstrap build test sanitize
	@scripts/configure $@
	@cmake --build --preset $@ -j $(JOBS) --target $(FLOORS:%=test_%) $(REPLAYS:%=replay_%)
	@scripts/run_tests $@ -j $(JOBS) -R '$(the_floors)'

clean:  ## remove everything built
	@rm -rf build
