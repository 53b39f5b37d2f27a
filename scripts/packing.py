"""Packs a tree of files as a tarball and as a package of Debian's, byte for byte the same whenever and wherever it is done: names
in order, one time, root's, two modes. Standard library alone, so that any distribution makes both. scripts/dist uses it."""
import gzip
import hashlib
import io
import lzma
import pathlib
import tarfile

NEWEST_TAR = tarfile.GNU_FORMAT


def entries(tree):
    """Every folder and file below a tree, in the order of their names."""
    return sorted(pathlib.Path(tree).rglob("*"), key=lambda path: path.relative_to(tree).as_posix())


def add_entry(tar, path, name, time_s):
    info = tarfile.TarInfo(name)
    info.mtime, info.uid, info.gid, info.uname, info.gname = time_s, 0, 0, "root", "root"
    if path.is_dir():
        info.type, info.mode = tarfile.DIRTYPE, 0o755
        tar.addfile(info)
        return
    data = path.read_bytes()
    info.size, info.mode = len(data), 0o755 if path.stat().st_mode & 0o100 else 0o644
    tar.addfile(info, io.BytesIO(data))


def tar_bytes(tree, top, time_s):
    """The tree as a tar file whose names begin with `top`, a folder, which comes first."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=NEWEST_TAR) as tar:
        add_entry(tar, pathlib.Path(tree), top, time_s)
        for path in entries(tree):
            add_entry(tar, path, f"{top}/{path.relative_to(tree).as_posix()}", time_s)
    return out.getvalue()


def gzip_bytes(data):
    """Without a name and a time in its head."""
    out = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", fileobj=out, mtime=0, compresslevel=9) as file:
        file.write(data)
    return out.getvalue()


def write_tarball(path, tree, top, time_s):
    """gzip, which a system that was installed with nothing else can unpack."""
    pathlib.Path(path).write_bytes(gzip_bytes(tar_bytes(tree, top, time_s)))


def ar_member(name, data, time_s):
    head = f"{name:<16}{time_s:<12}{0:<6}{0:<6}{'100644':<8}{len(data):<10}`\n".encode()
    return head + data + b"\n" * (len(data) % 2)


def control_text(fields):
    """A package's description: a line a field; what follows the first line of a text is indented."""
    return "".join(f"{name}: " + value.replace("\n", "\n ") + "\n" for name, value in fields.items())


def write_deb(path, tree, fields, time_s, scratch):
    """`tree` is what comes to lie in /; `fields` those of its control file but for the size; `scratch`, an empty folder."""
    files = [entry for entry in entries(tree) if entry.is_file()]
    installed_KiB = sum(-(-entry.stat().st_size // 1024) for entry in files)
    sums = "".join(f"{hashlib.md5(entry.read_bytes()).hexdigest()}  {entry.relative_to(tree).as_posix()}\n" for entry in files)
    scratch = pathlib.Path(scratch)
    (scratch / "control").write_text(control_text({**fields, "Installed-Size": str(installed_KiB)}), encoding="utf-8")
    (scratch / "md5sums").write_text(sums, encoding="utf-8")
    members = {
        "debian-binary": b"2.0\n",
        "control.tar.gz": gzip_bytes(tar_bytes(scratch, ".", time_s)),
        "data.tar.xz": lzma.compress(tar_bytes(tree, ".", time_s), preset=6),
    }
    pathlib.Path(path).write_bytes(b"!<arch>\n" + b"".join(ar_member(name, data, time_s) for name, data in members.items()))


def write_sums(path, files):
    lines = [f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in sorted(files)]
    pathlib.Path(path).write_text("".join(lines), encoding="utf-8")
