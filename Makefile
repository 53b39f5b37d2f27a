# The two commands a user needs: `make demo` and `make test`. Both install, build and do their job; see scripts/.
.PHONY: all demo test check matrix distros dist fuzz bench cts clean

all:
	@scripts/setup build
	@scripts/build build --product

demo:
	@scripts/setup build demo
	@scripts/demo

# The GCC build, every unit test and rule, the end-to-end cases on our drivers: docs/testing.md says what runs where.
# make test T='vulkan cases on tuff'   one test, by its name, a part of it or a suite, of any of these commands
test:
	@scripts/setup build test
	@scripts/headers >/dev/null || true
	@scripts/test test $(if $(T),"$(T)")

# All of `make test` (but what it found on this same tree is not run again), the sanitizers, the fuzzers, modes of the models, Mesa's releases.
# Those that scripts/judges.txt names come once; where they cannot be had, their tests say that they are skipped.
check:
	@scripts/setup build test
	@scripts/judges >/dev/null || true
	@scripts/test check $(if $(T),"$(T)")

# What both leave out: modes that run in `make check` on another release of a judge or on another driver.
matrix:
	@scripts/setup build test
	@scripts/judges >/dev/null || true
	@scripts/test matrix $(if $(T),"$(T)")

# Builds and runs the short tests in folders of Debian 12, 13 and sid (root, debootstrap): make distros [DISTROS="--build-only sid"]
distros:
	@scripts/distros $(DISTROS)

# A release for this machine's architecture, in dist/: a tarball, a package of Debian's, their checksums (docs/releases.md)
dist:
	@scripts/setup build
	@scripts/dist

# Long runs of the fuzzers: make fuzz [SECONDS=600]
SECONDS ?= 600
fuzz:
	@scripts/setup build test
	@scripts/fuzz --seconds $(SECONDS)

# Our driver, and Mesa's newest on the models of the other families, beside the newest lavapipe and SwiftShader (of chromium-common); writes docs/data/ and, of it, docs/bench.md and its charts.
# make bench [GPU=NAME] [BENCH="--drivers tuff,radv,lavapipe-26.1,swiftshader --scenes compute,fill --repeat 3 --by cpu"]; bench/run.py names all options
bench:
	@scripts/setup build test bench
	@scripts/judges >/dev/null || true
	@scripts/build build-release --buildtype=release -Dtests=disabled
	@meson configure build-release -Dtests=enabled && ninja -C build-release --quiet tests/scenes/scenes
	@bench/run.py --tuff build-release/src/tools/tuff $(if $(GPU),--gpu $(GPU)) --docs docs --frames build-release/tests/scenes/scenes --programs $(BENCH) build-release/bench/vulkan/bench_vulkan

# dEQP-VK, built elsewhere (docs/cts.md), on Mesa's driver over a model (GPU: its name, by default the first of src/kernel/models.table) or another:
# make cts DEQP=.../deqp-vk MUSTPASS=.../external/vulkancts/mustpass/main/src [GPU=NAME] [DRIVER=tuff|lavapipe|radv-25.0|...] [SAMPLE=7000] [CTS="--resume ..."]
SAMPLE ?= 7000
cts:
	@test -n "$(DEQP)" || { echo "make cts DEQP=/path/to/deqp-vk; docs/cts.md says how to build it" >&2; exit 2; }
	@scripts/setup build test
	@scripts/build build-release --buildtype=release
	@tests/cts/run.py --deqp "$(DEQP)" --tuff build-release/src/tools/tuff $(if $(GPU),--gpu $(GPU)) $(if $(DRIVER),--driver $(DRIVER)) --sample $(SAMPLE) \
		$(if $(MUSTPASS),--mustpass "$(MUSTPASS)") $(CTS)

clean:
	rm -rf build build-test build-levels build-sanitize build-sanitize-levels build-release build-dist dist
