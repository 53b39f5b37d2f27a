#!/usr/bin/env python3
"""The corpus by newer releases of RADV on the model: other code of the same shaders, which must leave in memory what lavapipe leaves there.

    newer.py [--gpu NAME] --vulkan RUN_VULKAN --tuff TUFF --modules DIRECTORY DRIVER [NAME]...

DRIVER is one of run_on.py's, radv-25.0 for instance. Every shader runs in waves of 64 and, where that can be asked, of 32 lanes, plainly and in strict mode. judge.py says what a
shader's comment means; where the result depends on the size of a subgroup, Debian's own RADV is the judge."""
import argparse
import pathlib
import sys
import tempfile

TESTS = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TESTS / "shaders"), str(TESTS)]
import judge  # noqa: E402
import models  # noqa: E402
from tap import Tap  # noqa: E402

# What a shader of the corpus asks for beyond what a driver must do.
EXEMPT = {
    "push_constants_comp": "indexes push constants by lane, which Vulkan leaves undefined; newer releases take the first lane's index",
    "atomics_float_ext_comp": "GFX10.3 has no additions of floats in memory, and RADV does not offer them",
}
EXEMPT_STRICT = {
    "atomics_rare_spvasm": "RADV leaves m0 as it is before ds_append, which adds it to the address",
}


def run(options, shaders, directory, driver, suffix, lanes, strict=False):
    return judge.run_driver(options, [s for s in shaders if lanes == "64" or s.kind in ("buffers", "images")], directory, driver, suffix, lanes, strict=strict)


def verdict(shader, directory, suffix, reference, killers):
    """None, or what is wrong. False: neither this driver nor the judge offers what the shader needs."""
    if shader.name in killers:
        return killers[shader.name]
    mine, theirs = (pathlib.Path(directory) / f"{shader.name}.{end}" for end in (suffix, reference))
    if not mine.exists() or not theirs.exists():
        return False
    return judge.compare(shader, mine.read_bytes(), theirs.read_bytes())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--vulkan", required=True)
    parser.add_argument("--tuff", required=True)
    parser.add_argument("--modules", required=True)
    models.add_option(parser)
    parser.add_argument("driver")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    shaders = [s for s in judge.load(options.modules, options.names) if s.on_driver and s.twin == s.name]
    tap = Tap()
    with tempfile.TemporaryDirectory() as directory:
        judge.run_driver(options, [s for s in shaders if s.judge == "lavapipe"], directory, "lavapipe", "lavapipe")
        for lanes in ("64", "32"):
            run(options, [s for s in shaders if s.judge == "mesa"], directory, "radv", f"radv{lanes}", lanes)
            for strict in (False, True):
                suffix = f"w{lanes}{'-strict' if strict else ''}"
                able = [s for s in shaders if s.name not in EXEMPT and not (strict and s.name in EXEMPT_STRICT)]
                lines, killers = run(options, able, directory, options.driver, suffix, lanes, strict)
                if lines is None:
                    print(f"1..0 # SKIP {options.driver} is not here; `scripts/judges` brings it")
                    return judge.SKIPPED
                for shader in shaders:
                    if lanes == "32" and shader.kind not in ("buffers", "images"):
                        continue
                    error = verdict(shader, directory, suffix, "lavapipe" if shader.judge == "lavapipe" else f"radv{lanes}", killers)
                    name = f"{shader.name} on {options.driver}, {suffix}"
                    reason = EXEMPT.get(shader.name) or (strict and EXEMPT_STRICT.get(shader.name))
                    if reason or error is False:
                        tap.skip(name, reason or "not offered")
                    else:
                        tap.case(name, not error, f"{error}\nreproduce: newer.py with the arguments of this test and {shader.name}")
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
