# The two commands a user needs: `make demo` and `make test`. Both install, build and do their job; see scripts/.
.PHONY: all demo test bench clean

all:
	@scripts/setup build
	@scripts/build build -Dtests=disabled

demo:
	@scripts/setup build demo
	@scripts/build build -Dtests=disabled
	@scripts/demo

test:
	@scripts/setup build test
	@scripts/test

bench:
	@scripts/setup build test
	@scripts/build build-release --buildtype=release
	@meson test -C build-release --no-rebuild --benchmark -v

clean:
	rm -rf build build-test build-sanitize build-release
