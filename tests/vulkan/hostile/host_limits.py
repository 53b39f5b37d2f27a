#!/usr/bin/env python3
"""What the host may refuse is an error where it is asked for, never the end of the process and never a lost device: files that may not grow (RLIMIT_FSIZE), threads
(RLIMIT_NPROC), addresses (RLIMIT_AS).

    host_limits.py CLIENT DEVICE_LOST TUFF LIBRARY MODEL_LIBRARY..."""
import itertools
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))
import models  # noqa: E402
import tap  # noqa: E402

FILE_LIMIT_B = 16
SECONDS = 120
STRANGER = 61234  # root has no limit of threads; nothing else runs as this user
MB = 1 << 20
MEMORY_OR_START = re.compile(r"^vkCreate\w+\(.*VkResult -[123]$|^devices 0$", re.M)


def say(done):
    end = signal.Signals(-done.returncode).name if done.returncode < 0 else f"exit code {done.returncode}"
    return f"{' '.join(map(str, done.args))}: {end}\n{done.stdout or ''}{done.stderr or ''}"


class Host:
    """A folder that every user may read, with the driver in it: another user may not see the build tree."""

    def __init__(self, folder, client, library, model_libraries):
        self.folder = pathlib.Path(folder)
        self.folder.chmod(0o755)
        for path in (client, library, *model_libraries):
            shutil.copy(path, self.folder)
        self.client, self.library = (str(self.folder / os.path.basename(path)) for path in (client, library))
        self.environment = {key: value for key, value in os.environ.items() if not key.startswith("TUFF_")}
        self.environment |= {"TUFF_GPU": models.DEFAULT, "TUFF_MODEL_PATH": folder}

    def run(self, *words, restrict=None, variables=None, stderr=subprocess.PIPE):
        return subprocess.run([self.client, self.library, *words], env=self.environment | (variables or {}), cwd=self.folder, preexec_fn=restrict, text=True,
                              stdout=subprocess.PIPE, stderr=stderr, timeout=SECONDS, check=False)


# What is written, by which variables, and what is reported where the file may not grow; {} is a folder.
WRITTEN = {
    "a trace": ({"TUFF_TRACE": "{}/trace.txt"}, "TUFF_TRACE: File too large"),
    "a dump of command streams": ({"TUFF_DEBUG": "ibs", "TUFF_DUMP": "{}"}, "tuff-ib-.*: File too large"),
    "a picture": ({"TUFF_PRESENT_PNG": "{}/picture.png"}, "cannot write .*picture.png: File too large"),
    "a list of strict mode": ({"TUFF_DEBUG": "strict", "TUFF_STRICT_LIST": "{}/list.txt"}, "TUFF_STRICT_LIST is not whole: File too large"),
    # No file for its code: the model interprets.
    "host code": ({"TUFF_DEBUG": "jit,jitnow", "TUFF_DUMP": "{}"}, None),
}


def judge_files(report, host):
    done = host.run()
    report.case("without limits the program runs", done.returncode == 0 and "done\n" in done.stdout, say(done))
    for what, (variables, reported) in WRITTEN.items():
        with tempfile.TemporaryDirectory(dir=host.folder) as place:
            done = host.run(str(FILE_LIMIT_B), variables={key: value.format(place) for key, value in variables.items()})
            sizes = [path.stat().st_size for path in pathlib.Path(place).iterdir()]
        good = done.returncode == 0 and "done\n" in done.stdout and (not reported or re.search(reported, done.stderr)) and all(size <= FILE_LIMIT_B for size in sizes)
        report.case(f"{what} that may not grow: reported, and the program goes on", good, say(done))
    for what, variables in {"messages": {"TUFF_LOG": "debug"}, "shaders": {"TUFF_DEBUG": "shaders,ir"}}.items():
        with tempfile.TemporaryFile("w+", dir=host.folder) as stream:
            done = host.run(str(FILE_LIMIT_B), variables=variables, stderr=stream)
        report.case(f"{what} to a file that may not grow: the program goes on", done.returncode == 0 and "done\n" in done.stdout, say(done))


def judge_hang(report, host, program):
    """The report of a lost device: the limit comes before the program is asked to lose it, for memory needs files, too."""
    icd = host.folder / "icd.json"
    icd.write_text(f'{{"file_format_version": "1.0.0", "ICD": {{"library_path": "{host.library}", "api_version": "1.3.0"}}}}')
    with tempfile.TemporaryDirectory(dir=host.folder) as place:
        environment = host.environment | {"VK_ICD_FILENAMES": str(icd), "VK_DRIVER_FILES": str(icd), "TUFF_DEBUG": "hang", "TUFF_DUMP": place}
        with subprocess.Popen([program, "unmapped", "asked"], env=environment, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            first = process.stdout.readline()
            resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (FILE_LIMIT_B, FILE_LIMIT_B))
            out, errors = process.communicate("\n", timeout=SECONDS)
    done = subprocess.CompletedProcess([program, "unmapped", "asked"], process.returncode, first + out, errors)
    report.case("the report of a lost device that may not grow: reported, and the program goes on",
                done.returncode >= 0 and "is not whole: File too large" in done.stderr, say(done))


def judge_tools(report, host, tuff):
    def restrict():
        resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_LIMIT_B, FILE_LIMIT_B))
    source = host.folder / "source.s"
    source.write_text("s_nop 0\n" * 1000)
    with open(host.folder / "out", "wb") as stream:
        for words, out in ((["asm", "-o", str(host.folder / "code.bin"), str(source)], subprocess.PIPE), (["asm", "--help"], stream), (["info"], stream)):
            done = subprocess.run([tuff, *words], env=host.environment, stdout=out, stderr=subprocess.PIPE, preexec_fn=restrict, timeout=SECONDS, check=False)
            done.stdout, done.stderr = "", done.stderr.decode()
            report.case(f"tuff {words[0]} {words[1] if len(words) > 1 else ''} to a file that may not grow says so", done.returncode > 0 and "cannot write" in done.stderr, say(done))


def judge_start(report, host):
    """A limit that is there from the start: no memory, and no device that is lost later. On every GPU: what a kernel driver's model makes files for is its own."""
    for gpu, size_B in itertools.product(models.DRIVEN, (0, 2048, 4096, MB, 16 * MB)):
        done = host.run(restrict=lambda size_B=size_B: resource.setrlimit(resource.RLIMIT_FSIZE, (size_B, size_B)), variables={"TUFF_GPU": gpu})
        good = "done\n" in done.stdout if done.returncode == 0 else done.returncode > 0 and "VkResult -4" not in done.stdout and ("VkResult -" in done.stdout or "devices 0" in done.stdout)
        report.case(f"{gpu}: files of at most {size_B} bytes: it works, or memory is refused", good, say(done))


def judge_threads(report, host):
    def restrict(count):
        if os.getuid() == 0:
            os.setgroups([])
            os.setgid(STRANGER)
            os.setuid(STRANGER)
        resource.setrlimit(resource.RLIMIT_NPROC, (count, count))
    done = host.run(restrict=lambda: restrict(1000))
    if not report.case("with threads enough the program runs", done.returncode == 0 and "done\n" in done.stdout, say(done)):
        return
    done = host.run(restrict=lambda: restrict(1))
    report.case("without any thread vkCreateDevice fails, and says why",
                done.returncode == 1 and re.search(r"^vkCreateDevice\(.*VkResult -[13]$", done.stdout, re.M) and "the host gives no thread" in done.stderr, say(done))
    for count in range(2, 8):
        done = host.run(restrict=lambda count=count: restrict(count))
        good = "done\n" in done.stdout if done.returncode == 0 else done.returncode == 1 and MEMORY_OR_START.search(done.stdout)
        report.case(f"with {count - 1} threads more it works, or an object is refused", good, say(done))


def judge_addresses(report, host):
    for size_MB in (64, 256, 1024, 4096, 16384, 65536):
        done = host.run(restrict=lambda size_MB=size_MB: resource.setrlimit(resource.RLIMIT_AS, (size_MB * MB, size_MB * MB)))
        good = "done\n" in done.stdout if done.returncode == 0 else done.returncode > 0 and (MEMORY_OR_START.search(done.stdout) or "no library" in done.stdout)
        report.case(f"{size_MB} MiB of addresses: it works, or what is asked for is refused", good, say(done))


def main():
    client, device_lost, tuff, library, *model_libraries = sys.argv[1:]
    report = tap.Tap()
    with tempfile.TemporaryDirectory() as folder:
        host = Host(folder, client, library, model_libraries)
        judge_files(report, host)
        judge_hang(report, host, os.path.abspath(device_lost))
        judge_tools(report, host, os.path.abspath(tuff))
        judge_start(report, host)
        judge_threads(report, host)
        judge_addresses(report, host)
    return report.done()


if __name__ == "__main__":
    sys.exit(main())
