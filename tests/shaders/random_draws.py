#!/usr/bin/env python3
"""Random fragment shaders: branches, loops of all pixels and of some, arrays, words of buffers and images, derivatives and discards. Everything they
compute is exact, so every implementation must draw the same words.

    random_draws.py [--gpu NAME] [--driver NAME] [--judge NAME] [--count N] [--seed S] --vulkan RUN_VULKAN --modules DIRECTORY --tuff TUFF

Shaders S to S + N - 1 by a driver (our own by default) on the model, all of it as host code from the first wave on and then in the interpreter, beside
the judge, lavapipe by default. One that differs is printed with the pixel and the command that makes it again; --print shows the text of shader S alone."""
import argparse
import array
import os
import pathlib
import random
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]
import models  # noqa: E402
from tap import Tap  # noqa: E402

RUN_ON = HERE.parent / "vulkan" / "run_on.py"
WAYS = {"as host code": "jitnow", "in the interpreter": "nojit"}
SKIPPED = 77
SIZE, TARGETS_WORDS = 16, 16 * 16 * 4 * 4
VERTICES = ("whole_vert.spv", "fill_samples_frag.spv")  # of the corpus: run_vulkan finds them beside a shader
WORDS, FLOATS = 6, 4  # variables of a shader

HEAD = """#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_samplerless_texture_functions : require
#include "images.glsl"
layout(location = 0) out vec4 colour;
layout(set = 0, binding = 0, std430) readonly buffer Input { uint words[8192]; } source;
layout(set = 0, binding = 2, std140) uniform Block { uvec4 words[4]; vec4 floats[12]; } block;
"""


class Shader:
    """Words are any; floats are whole numbers below 2^11, so that their products and sums are exact, whichever way they are made."""

    def __init__(self, seed):
        self.dice = random.Random(seed)
        self.lines, self.depth, self.loops, self.names, self.cost = [], 1, 0, 0, 1
        self.may_derive = True
        self.begin()
        for _ in range(self.dice.randint(3, 9)):
            self.statement()
        self.end()

    def say(self, text):
        self.lines.append("    " * self.depth + text)

    def word(self):
        return f"w{self.dice.randrange(WORDS)}"

    def number(self):
        return f"f{self.dice.randrange(FLOATS)}"

    def constant(self):
        return f"{self.dice.choice((0, 1, 2, 3, 7, 31, 255, 0x8000, 0xffffff, 0x7fffffff, 0x80000000, 0xffffffff, self.dice.getrandbits(32)))}u"

    def new(self):
        self.names += 1
        return f"n{self.names}"

    def begin(self):
        self.say("uint x = uint(gl_FragCoord.x), y = uint(gl_FragCoord.y), lane = x + y * 16u;")
        for i in range(WORDS):
            self.say(f"uint w{i} = (lane + {i}u) * {self.dice.getrandbits(32) | 1}u >> {self.dice.randrange(25)};")
        for i in range(FLOATS):
            self.say(f"float f{i} = float({self.dice.choice(('x', 'y', 'lane', 'x * y'))} * {self.dice.randrange(1, 8)}u);")
        self.say(f"uint list[4] = uint[4]({', '.join(self.word() for _ in range(4))});")

    def end(self):
        if self.dice.random() < 0.3:
            self.say(f"if ({self.condition()})\n        discard;")
        a, b, c, d = (self.dice.sample([f"w{i}" for i in range(WORDS)], 4))
        floats = " + ".join(f"uint(f{i})" for i in range(FLOATS))
        self.say(f"colour = vec4(uvec4({a} ^ {a} >> 13, {b} ^ list[1] >> 9, {c} + list[2], {d} ^ {floats}) & 0xffffffu);")

    def condition(self):
        return self.dice.choice((f"({self.word()} & {self.dice.choice((1, 2, 4, 8, 96))}u) != 0u", f"{self.word()} < {self.word()}",
                                 f"{self.number()} < {self.number()}", f"int({self.word()}) >= int({self.constant()})", f"x > {self.dice.randrange(16)}u",
                                 f"lane {self.dice.choice('<>')} {self.dice.randrange(256)}u",
                                 f"block.words[{self.dice.randrange(4)}].x > {self.dice.randrange(16)}u"))

    def statement(self):
        kinds = [(self.arithmetic, 8), (self.floating, 5), (self.memory, 4), (self.lists, 2)]
        if self.depth < 4:
            kinds += [(self.branch, 4), (self.choice, 1)]
        if self.depth < 4 and self.cost < 200:
            kinds += [(self.loop, 3)]
        if self.depth == 1 and self.may_derive:
            kinds += [(self.derivative, 5)]
        if self.depth < 3:
            kinds += [(self.kill, 1)]
        if self.loops:
            kinds += [(self.leave, 2)]
        kind = self.dice.choices([kind for kind, _ in kinds], [weight for _, weight in kinds])[0]
        self.may_derive &= kind in (self.arithmetic, self.floating, self.derivative)  # what helper pixels find after others is not the same everywhere
        kind()

    def arithmetic(self):
        d, a, b, c = (self.word() for _ in range(4))
        self.say(self.dice.choice((
            f"{d} = {a} + {b};", f"{d} = {a} * ({b} | 1u);", f"{d} = {a} ^ {b};", f"{d} = {a} & ({b} | {self.constant()});", f"{d} = {a} - {self.constant()};",
            f"{d} = {a} << ({b} & 31u);", f"{d} = {a} >> ({b} & 31u);", f"{d} = uint(int({a}) >> {self.dice.randrange(32)});",
            f"{d} = {self.condition()} ? {b} : {c};", f"{d} = max({a}, {b});", f"{d} = uint(min(int({a}), int({b})));", f"{d} = bitCount({a}) + {b};",
            f"{d} = uint(findMSB({a}));", f"{d} = uint(findLSB({a})) ^ {b};", f"{d} = bitfieldReverse({a});",
            f"{d} = bitfieldExtract({a}, int({b} & 15u), int({c} & 15u));", f"{d} = bitfieldInsert({a}, {b}, int({c} & 15u), 9);",
            f"{d} = {a} / ({b} | 1u);", f"{d} = {a} % ({b} | 1u);", f"{d} = uint(int({a}) / 7);",
            f"{d} = uint({self.number()}) ^ {a};",
            f"{d} = {a} * 3u + {b} * 5u + {c};")))

    def floating(self):
        d, a, b, c = (self.number() for _ in range(4))
        made = self.dice.choice((f"{a} * {b} + {c}", f"{a} + {b} * 3.0", f"abs({a} - {b})", f"max({a}, {b}) - min({a}, {c})", f"floor({a} * 0.25) + {b}",
                                 f"float({self.word()} & 2047u)", f"{self.condition()} ? {a} : {b}", f"fract({a} * 0.125) * 8.0",
                                 f"mix({a}, {b}, {self.condition()})", f"sign({a} - {b}) + {c}", f"clamp({a}, 3.0, 700.0)", f"trunc({a} * 0.0625)",
                                 f"dot(vec3({a}, {b}, {c}), vec3(1.0, 2.0, 4.0))", f"{a} + block.floats[{self.dice.randrange(12)}].x * 4.0"))
        self.say(f"{d} = {made};")
        self.say(f"{d} = float(uint(abs({d})) & 2047u);")

    def memory(self):
        d, a, b = self.word(), self.word(), self.word()
        self.say(self.dice.choice((f"{d} = source.words[{a} & 8191u];", f"{d} ^= source.words[lane + {self.dice.randrange(7000)}u];",
                                   f"{d} += block.words[{a} & 3u][{b} & 3u];", f"{d} += block.words[{self.dice.randrange(4)}].{self.dice.choice('xyzw')};",
                                   f"{d} ^= texelFetch(words_plane, ivec2({a} & 7u, {b} & 7u), 0).x;", f"{d} = texelFetch(words_plane, ivec2(x & 7u, y & 7u), 0).x;")))

    def lists(self):
        d, a = self.word(), self.word()
        self.say(self.dice.choice((f"list[{a} & 3u] = {d};", f"{d} = list[{a} & 3u];", f"list[{self.dice.randrange(4)}] += {d};")))

    def derivative(self):
        d, a = self.number(), self.number()
        self.say(f"{d} = abs({self.dice.choice(('dFdxFine', 'dFdyFine'))}({a}));")

    def kill(self):
        self.say(f"if ({self.condition()} && {self.condition()})\n{'    ' * (self.depth + 1)}discard;")

    def block(self):
        self.depth += 1
        for _ in range(self.dice.randint(1, 4)):
            self.statement()
        self.depth -= 1

    def branch(self):
        self.say(f"if ({self.condition()}) {{")
        self.block()
        if self.dice.random() < 0.5:
            self.say("} else {")
            self.block()
        self.say("}")

    def choice(self):
        self.say(f"switch ({self.word()} & 3u) {{")
        for i in range(3):
            self.say(f"case {i}u:" if i < 2 else "default:")
            loops, self.loops = self.loops, 0  # a break here is the switch's
            self.block()
            self.loops = loops
            if self.dice.random() < 0.8:
                self.say("    break;")
        self.say("}")

    def loop(self):
        i, rounds = self.new(), self.dice.randint(2, 6)
        count = self.dice.choice((f"{rounds}u", f"block.words[0].{self.dice.choice('xyzw')}", f"({self.word()} & {self.dice.choice((3, 7))}u)", "(x & 3u)"))
        end = self.new()
        self.say(f"for (uint {i} = 0u, {end} = {count}; {i} < {end}; {i}++) {{")
        self.loops, self.cost = self.loops + 1, self.cost * 6
        self.say(f"    {self.word()} += {i} * {self.dice.randrange(1, 100)}u;")
        self.block()
        self.loops, self.cost = self.loops - 1, self.cost // 6
        self.say("}")

    def leave(self):
        self.say(f"if ({self.condition()})\n{'    ' * (self.depth + 1)}{self.dice.choice(('break', 'continue'))};")

    def text(self):
        return HEAD + "void main()\n{\n" + "\n".join(self.lines) + "\n}\n"


def compile_all(directory, modules, shaders):
    for name in VERTICES:
        (directory / name).symlink_to(pathlib.Path(modules).resolve() / name)
    for number, shader in shaders.items():
        path = directory / f"{number}.frag"
        path.write_text(shader.text(), encoding="utf-8")
        made = subprocess.run(["glslangValidator", "-V", "--target-env", "vulkan1.3", "--quiet", f"-I{HERE}", path, "-o", directory / f"{number}.spv"],
                              capture_output=True, text=True, check=False)
        if made.returncode:
            raise SystemExit(f"shader {number} is not valid:\n{made.stdout}\n{shader.text()}")


def draw_all(options, directory, shaders, driver, suffix, words):
    """What a driver draws: {number: words}. None: it is not here. Dies with what the driver says."""
    command = [sys.executable, str(RUN_ON), driver]
    if not driver.startswith("lavapipe"):
        command[2:] = ["--tuff", options.tuff, "--gpu", options.gpu, driver]
    (directory / "list").write_text("".join(f"{number} draw 6 1 1 {directory / f'{number}.spv'}\n" for number in shaders), encoding="utf-8")
    ran = subprocess.run([*command, options.vulkan, directory / "list", directory, suffix], capture_output=True, text=True, errors="replace", check=False,
                         env=dict(os.environ, TUFF_DEBUG=words, GALLIVM_PERF="nopt"))
    if ran.returncode == SKIPPED:
        return None
    drawn = {}
    for number in shaders:
        path = directory / f"{number}.{suffix}"
        if path.exists():
            drawn[number] = array.array("f", path.read_bytes()[:TARGETS_WORDS * 4])
    if ran.returncode or len(drawn) != len(shaders):
        at = next((number for number in shaders if number not in drawn), None)
        raise SystemExit(f"{driver} ended with {ran.returncode} at shader {at}: {ran.stderr[-2000:]}")
    return drawn


def difference(number, wanted, got):
    for i, (a, b) in enumerate(zip(wanted, got)):
        if a != b:
            pixel = i // 4
            return f"shader {number}: layer {pixel // 256}, pixel {pixel % SIZE} {pixel // SIZE % SIZE}, channel {i % 4}: {int(b):#x}, the judge has {int(a):#x}"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    models.add_option(parser)
    parser.add_argument("--driver", default="tuff")
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--judge", default="lavapipe")
    parser.add_argument("--print", action="store_true")
    parser.add_argument("--vulkan")
    parser.add_argument("--modules", help="the corpus' own")
    parser.add_argument("--tuff")
    options = parser.parse_args()
    shaders = {number: Shader(number) for number in range(options.seed, options.seed + options.count)}
    if options.print:
        print(shaders[options.seed].text())
        return 0
    tap = Tap()
    with tempfile.TemporaryDirectory(prefix="tuff-random-") as place:
        directory = pathlib.Path(place)
        compile_all(directory, options.modules, shaders)
        wanted = draw_all(options, directory, shaders, options.judge, "judge", "")
        if wanted is None:
            return tap.skip_all(f"no {options.judge}")
        for way, words in WAYS.items():
            got = draw_all(options, directory, shaders, options.driver, words, words)
            if got is None:
                return tap.skip_all(f"no {options.driver}")
            different = [text for number in shaders if (text := difference(number, wanted[number], got[number]))]
            again = f"again: random_draws.py --gpu {options.gpu} --driver {options.driver} --count 1 --seed N ...; its text: --print"
            tap.case(f"{len(shaders)} random fragment shaders {way} are as {options.judge}'s", not different, "\n".join([*different, again]))
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
