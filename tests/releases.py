#!/usr/bin/env python3
"""`make dist` without its build: the packer on a small tree, scripts/get-release on what it packed, and the numbers of versions.

    releases.py LIBRARY      a shared object that needs the C library alone: the preload library"""
import hashlib
import importlib.machinery
import importlib.util
import io
import json
import os
import pathlib
import platform
import shutil
import subprocess
import sys
import tarfile
import tempfile

import tap

LIBRARY = os.path.abspath(sys.argv[1])
ROOT = pathlib.Path(__file__).resolve().parent.parent
TIME_S = 1700000000
MACHINE = platform.machine()


def script_module(name):
    sys.path.insert(0, str(ROOT / "scripts"))
    sys.dont_write_bytecode = True
    loader = importlib.machinery.SourceFileLoader(f"script_{name}", str(ROOT / "scripts" / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


def make_tree(tree):
    """The folders of an installation, with one library in place of all."""
    manifest = {"file_format_version": "1.0.0", "ICD": {"library_path": "/usr/local/lib/tuff/libvulkan_tuff.so", "api_version": "1.3.239"}}
    texts = {"bin/tuff": "#!/bin/sh\n", "share/man/man1/tuff.1": ".TH TUFF 1\n", "share/zsh/site-functions/_tuff": "#compdef tuff\n",
             f"share/vulkan/icd.d/tuff_icd.{MACHINE}.json": json.dumps(manifest), "share/tuff/tuff_run_icd.json": "{}\n"}
    for name, text in texts.items():
        path = tree / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    (tree / "bin/tuff").chmod(0o755)
    (tree / "lib/tuff").mkdir(parents=True)
    shutil.copy(LIBRARY, tree / "lib/tuff/libvulkan_tuff.so")


def pack(tree, out):
    return subprocess.run([str(ROOT / "scripts/dist"), "--pack", str(tree), "--out", str(out)], env={**os.environ, "SOURCE_DATE_EPOCH": str(TIME_S)},
                          capture_output=True, text=True, timeout=60, check=False)


def shown(result):
    return f"exit {result.returncode}\nstdout: {result.stdout[-900:]}\nstderr: {result.stderr[-900:]}"


def ar_members(data):
    members, at = {}, 8
    while at < len(data):
        name, size_B = data[at:at + 16].decode().strip(), int(data[at + 48:at + 58])
        members[name] = data[at + 60:at + 60 + size_B]
        at += 60 + size_B + size_B % 2
    return members


def judge_tarball(report, path):
    with tarfile.open(path) as tar:
        infos = tar.getmembers()
        names = [info.name for info in infos]
        top = names[0]
        manifest = json.load(tar.extractfile(f"{top}/share/vulkan/icd.d/tuff_icd.{MACHINE}.json"))
    report.case("the tarball has one folder, whose name has the version", top.startswith("tuff-") and all(name == top or name.startswith(top + "/") for name in names), str(names))
    report.case("its names are in order, and each is there once", names == sorted(set(names)), str(names))
    report.case("its files are root's and of one time", all((info.uid, info.gid, info.uname, info.mtime) == (0, 0, "root", TIME_S) for info in infos))
    modes = {info.name.split("/", 1)[-1]: info.mode for info in infos}
    report.case("what runs may be run, and nothing else is", modes["bin/tuff"] == 0o755 and modes["share/man/man1/tuff.1"] == 0o644, str(modes))
    report.case("licence and changes are in it", {f"{top}/LICENSE", f"{top}/CHANGELOG.md"} <= set(names), str(names))
    library = os.path.normpath(os.path.join(top, "share/vulkan/icd.d", manifest["ICD"]["library_path"]))
    report.case("the manifest leads to the library from its own folder", not manifest["ICD"]["library_path"].startswith("/") and library in names, str(manifest))


def judge_package(report, path):
    members = ar_members(path.read_bytes())
    report.case("the package has its three members", list(members) == ["debian-binary", "control.tar.gz", "data.tar.xz"] and members["debian-binary"] == b"2.0\n", str(list(members)))
    with tarfile.open(fileobj=io.BytesIO(members["control.tar.gz"])) as tar:
        control, sums = (tar.extractfile(f"./{name}").read().decode() for name in ("control", "md5sums"))
    with tarfile.open(fileobj=io.BytesIO(members["data.tar.xz"])) as tar:
        files = {info.name[2:]: tar.extractfile(info).read() for info in tar.getmembers() if info.isfile()}
    report.case("md5sums has every file", sums == "".join(f"{hashlib.md5(files[name]).hexdigest()}  {name}\n" for name in sorted(files)), sums)
    report.case("it depends on a version of the C library, and on nothing else", any(line.startswith("Depends: libc6 (>= 2.") and "," not in line for line in control.splitlines()), control)
    wanted = {"usr/bin/tuff", "usr/lib/tuff/libvulkan_tuff.so", "usr/share/man/man1/tuff.1.gz", "usr/share/doc/tuff/copyright", "usr/share/zsh/vendor-completions/_tuff"}
    report.case("files lie where Debian has them", wanted <= set(files), str(sorted(files)))
    if not shutil.which("dpkg-deb"):
        report.skip("dpkg-deb reads it", "dpkg-deb is not installed")
        return
    result = subprocess.run(["dpkg-deb", "--info", str(path)], capture_output=True, text=True, timeout=60, check=False)
    report.case("dpkg-deb reads its control file", result.returncode == 0 and "Package: tuff" in result.stdout and not result.stderr, shown(result))
    result = subprocess.run(["dpkg-deb", "--contents", str(path)], capture_output=True, text=True, timeout=60, check=False)
    report.case("and its files", result.returncode == 0 and "root/root" in result.stdout and "./usr/bin/tuff" in result.stdout, shown(result))


def judge_packer(report, folder):
    tree, out = folder / "tree", folder / "out"
    make_tree(tree)
    result = pack(tree, out)
    if not report.case("scripts/dist --pack", result.returncode == 0, shown(result)):
        return None
    tarball, package = out / f"tuff-linux-{MACHINE}.tar.gz", next(out.glob("*.deb"))
    judge_tarball(report, tarball)
    judge_package(report, package)
    result = subprocess.run(["sha256sum", "-c", "SHA256SUMS"], cwd=out, capture_output=True, text=True, timeout=60, check=False)
    report.case("SHA256SUMS has both", result.returncode == 0 and result.stdout.count(": OK") == 2, shown(result))
    shutil.copytree(tree, folder / "copy")
    for path in (folder / "copy").rglob("*"):
        os.utime(path, (0, 0))
        path.chmod(path.stat().st_mode & 0o700)
    result = pack(folder / "copy", folder / "again")
    same = all((folder / "again" / path.name).read_bytes() == path.read_bytes() for path in out.iterdir()) if result.returncode == 0 else False
    report.case("a tree with other times and modes gives the same bytes", same, shown(result))
    library = tree / "lib/tuff/libvulkan_tuff.so"
    library.write_bytes(library.read_bytes().replace(b"\0libc.so.6\0", b"\0libq.so.6\0"))
    result = pack(tree, folder / "bad")
    report.case("a library that needs another one is refused by its name", result.returncode == 1 and "libvulkan_tuff.so needs libq.so.6" in result.stderr and not (folder / "bad").exists(), shown(result))
    return out


def judge_versions(report):
    dist = script_module("dist")
    for described, version in (("v0.2.0", "0.2.0"), ("v0.2.0-7-gabcdef01", "0.2.0+7.abcdef01"), ("v0.1.0-7-gabcdef01", "0.2.0~abcdef01"), ("", "0.2.0~abcdef01")):
        report.case(f"'{described}' is version {version}", dist.release_version("0.2.0", described, "abcdef01") == version, dist.release_version("0.2.0", described, "abcdef01"))
    try:
        told = dist.release_version("0.2.0", "v0.3.0", "abcdef01")
    except dist.building.Failure as failure:
        told = str(failure)
    report.case("a tag that is not the project's version is refused", told == "the tag v0.3.0 is on this commit, but meson.build says 0.2.0", told)
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    report.case("CHANGELOG.md has the project's version", f"\n## {dist.project_version()}\n" in changes, changes[:400])


def get(url, folder, *options, **environment):
    return subprocess.run([str(ROOT / "scripts/get-release"), url, str(folder), *options], env={**os.environ, **environment}, capture_output=True, text=True, timeout=60, check=False)


def judge_get(report, out, folder):
    if not shutil.which("curl"):
        report.skip("scripts/get-release", "curl is not installed")
        return
    url = out.as_uri()
    result = get(url, folder / "got", "--gpu", "all", "--as-gpu", "--claim-conformance")
    variables = dict(line.split("=", 1) for line in result.stdout.splitlines())
    manifest = pathlib.Path(variables.get("VK_DRIVER_FILES", "/none"))
    report.case("scripts/get-release unpacks a release and prints the manifest's name", result.returncode == 0 and manifest.is_file() and str(manifest).startswith(str(folder / "got")), shown(result))
    report.case("and the variables of the switches", [variables.get(name) for name in ("TUFF_GPU", "TUFF_DEVICE_TYPE", "TUFF_CLAIM_CONFORMANCE")] == ["all", "gpu", "1"], shown(result))
    result = get(url, folder / "got")
    report.case("without switches there are none, and it may be done again", result.returncode == 0 and "TUFF_" not in result.stdout, shown(result))

    def refused(name, result, *words):
        told = result.stderr.strip().splitlines()
        report.case(f"get-release refuses {name}", result.returncode == 1 and len(told) == 1 and not result.stdout and all(word in told[0] for word in words), shown(result))
    refused("a release that is not there", get((folder / "none").as_uri(), folder / "x"), "cannot be fetched")
    refused("a machine for which there is none", get(url, folder / "x", TUFF_RELEASE_MACHINE="riscv64"), "riscv64")
    refused("an option that there is not", get(url, folder / "x", "--gpus"), "'--gpus'")
    refused("a folder that cannot be", get(url, "/proc/no/folder"), "/proc/no/folder cannot be written")
    with open(out / f"tuff-linux-{MACHINE}.tar.gz", "r+b") as file:
        file.seek(30)
        file.write(b"damaged")
    refused("a tarball that is damaged", get(url, folder / "x"), "checksum")


def main():
    report = tap.Tap()
    judge_versions(report)
    if MACHINE not in ("x86_64", "aarch64"):
        report.skip("the packer", f"there are no releases for {MACHINE}")
        return report.done()
    with tempfile.TemporaryDirectory() as folder:
        out = judge_packer(report, pathlib.Path(folder))
        if out:
            judge_get(report, out, pathlib.Path(folder))
    return report.done()


if __name__ == "__main__":
    sys.exit(main())
