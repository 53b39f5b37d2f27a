"""Configures a build folder and builds it, with a status line; scripts/build, scripts/demo and scripts/test use it.

How long each step takes is known from the folder's last build, where there was one, and guessed from the sources' sizes where
there was none. Nothing that the compiler prints is shown unless it fails; then only what failed is, with the command that
repeats it."""
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
STATUS = "\x1f"  # before each line of ninja's that is about a step: no compiler prints it
CONFIGURED_S = 10.0
WHOLE_S = 330.0  # of one core
OTHER_S = 0.15  # a generator, an archive or a link
# What a compiler takes, without and with -O3: of a source of ours a second for so many bytes, of a generated one so long.
COMPILED_B = {False: 55000, True: 20000}
GENERATED_S = {False: 0.2, True: 3.0}
MOST_LINES = 60
# What is built to be used here: for this machine's CPU alone; with names and lines of functions for backtraces, which cost a
# fiftieth of the compiler's time, where all that a debugger shows costs a fifth.
HERE = ["-Dhost_levels=native", "-Ddebug=false", "-Dc_args=-g1"]
PRODUCT = ["-Dtests=disabled", "-Dwarning_level=0", *HERE]  # warnings are the tests' business, and a twentieth of the time
# The compiler's cache goes by the files that the compiler read, and does not preprocess a source to know it.
ENVIRONMENT = {**os.environ, "CCACHE_DEPEND": "1"}


class Failure(Exception):
    """What is to be shown: why, and what to do."""


def cores():
    return len(os.sched_getaffinity(0))


def tail(text):
    lines = text.rstrip().splitlines()
    left_out = len(lines) - MOST_LINES
    return "\n".join([f"... {left_out} lines before"] * (left_out > 0) + lines[-MOST_LINES:])


def need(program):
    if not shutil.which(program):
        raise Failure(f"no `{program}`: scripts/setup build installs it, or says what to install")


def configured_options(folder):
    return {row["name"]: row["value"] for row in json.loads((folder / "meson-info/intro-buildoptions.json").read_text(encoding="utf-8"))}


def differs(value, wanted):
    """Meson writes a boolean and a list as such."""
    if isinstance(value, bool):
        return value != (wanted == "true")
    return (",".join(value) if isinstance(value, list) else str(value)) != wanted


def configure(folder, options, part):
    """Once; later only options that are asked for otherwise than before are changed."""
    part.advance(0, f"configuring {folder.name}")
    need("meson")
    need("ninja")
    compiler = os.environ.get("CC", "gcc")
    need(shlex.split(compiler)[0])
    if (folder / "build.ninja").exists():
        asked = dict(option.lstrip("-D").partition("=")[::2] for option in options)
        now = configured_options(folder)
        changed = [f"-D{name}={value}" for name, value in asked.items() if name in now and differs(now[name], value)]
        # What ninja would do first of all; done now, so that it knows all of its steps.
        commands = [["meson", "configure", str(folder), *changed]] * bool(changed) + [["ninja", "-C", str(folder), "build.ninja"]]
        setting_up = ""
    else:
        compiler = f"ccache {compiler}" if shutil.which("ccache") else compiler
        setting_up = f"CC={shlex.quote(compiler)} "
        commands = [["meson", "setup", str(folder), str(ROOT), *options]]
    for command in commands:
        ran = subprocess.run(command, env={**os.environ, "CC": compiler}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", check=False)
        if ran.returncode:
            errors = [line for line in ran.stdout.splitlines() if "ERROR" in line] or ran.stdout.splitlines()[-5:]
            raise Failure("\n".join([*errors, f"repeat: {setting_up}{shlex.join(command)}",
                                     "scripts/setup build installs what the build needs, or says what to install"]))
    part.finish()


class Steps:
    """How long each of ninja's steps takes on one core, by what is known of its output."""

    def __init__(self, folder):
        self.took = {}
        self.commands = {}
        log = folder / ".ninja_log"
        if log.exists():
            for line in log.read_text(encoding="utf-8", errors="replace").splitlines()[1:]:
                start, end, _, output, _ = line.split("\t")
                self.took[output] = (int(end) - int(start)) / 1000
        commands = folder / "compile_commands.json"
        if commands.exists():
            for row in json.loads(commands.read_text(encoding="utf-8")):
                self.commands[row["output"]] = (pathlib.Path(os.path.normpath(os.path.join(row["directory"], row["file"]))), "-O3" in row["command"])

    def seconds(self, description):
        output = description.rsplit(" ", 1)[-1]
        if output in self.took:
            return self.took[output]
        if output not in self.commands:
            return OTHER_S
        source, is_wide = self.commands[output]
        if not source.is_relative_to(ROOT / "src"):
            return GENERATED_S[is_wide]
        return 0.05 + (source.stat().st_size if source.exists() else 0) / COMPILED_B[is_wide]

    def shown(self, description):
        """A file's name as a reader knows it: src/amd/model/libamd_sq.a.p/sq_sq_ds.c.o is src/amd/model: sq_sq_ds.c"""
        output = description.rsplit(" ", 1)[-1]
        if output in self.commands:
            source = os.path.relpath(self.commands[output][0], ROOT)
            return source if not source.startswith("..") else output
        return re.sub(r"^Generating (\S+).*", r"\1", description) if description.startswith("Generating") else output


def planned(folder, arguments):
    """The descriptions of all steps that ninja would run."""
    ran = subprocess.run(["ninja", "-C", str(folder), "-n", *arguments], env={**os.environ, "NINJA_STATUS": STATUS},
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, errors="replace", check=False)
    return [line[1:] for line in ran.stdout.splitlines() if line.startswith(STATUS)]


def advice(text):
    if "No space left on device" in text:
        return "the disk is full: free some space, then repeat"
    if "Killed" in text or "fatal error: Killed signal" in text:
        return "the machine has too little memory for this many compilers at once: repeat with NINJAFLAGS=-j1"
    return None


def failed_text(folder, blocks):
    """The output of the steps that failed, without their command lines, which repeat prints."""
    texts, targets = [], []
    for block in blocks:
        target = block[0].partition("FAILED: ")[2].split(" ")[0]
        targets.append(target)
        texts.append("\n".join([f"failed: {target}", tail("\n".join(block[2:]))]))
    repeat = f"repeat: ninja -C {shlex.quote(str(folder))} -v {shlex.join(targets)}"
    return "\n".join([*texts, *filter(None, [advice("\n".join(texts))]), repeat])


def compile_all(folder, part, targets):
    arguments = [*shlex.split(os.environ.get("NINJAFLAGS", "")), *targets]
    steps = Steps(folder)
    expected_s = sum(map(steps.seconds, planned(folder, arguments)))
    part.expect(expected_s, expected_s / cores())
    process = subprocess.Popen(["ninja", "-C", str(folder), *arguments], env={**ENVIRONMENT, "NINJA_STATUS": STATUS},
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    failed, other = [], []
    kept = other
    with process:
        for line in process.stdout:
            line = line.rstrip("\n")
            if line.startswith(STATUS):
                part.advance(steps.seconds(line[1:]), steps.shown(line[1:]))
                kept = other
            elif line.startswith("FAILED: "):
                kept = [line]
                failed.append(kept)
            elif line.startswith("ninja: build stopped"):
                kept = []
            else:
                kept.append(line)
    if process.returncode:
        raise Failure(failed_text(folder, failed) if failed else tail("\n".join(other)))
    part.finish()


def expected_s(folder):
    """A first guess, before anything is configured: by the last build of this folder, or by what a whole build takes."""
    is_built = (ROOT / folder / ".ninja_log").exists()
    return 3.0 if is_built else CONFIGURED_S + WHOLE_S / cores()


def build(folder, options, progress, targets=()):
    """Builds `folder` (of the repository's root); raises Failure. `progress` has a part for it, of expected_s(folder)."""
    folder = ROOT / folder
    configured = progress.part(CONFIGURED_S if not (folder / "build.ninja").exists() else 0.0)
    configure(folder, options, configured)
    compile_all(folder, progress.part(max(expected_s(folder) - configured.share, 0.0)), targets)
