"""Where the newer releases of Mesa stand that scripts/judges brings, and how a program starts on one of them.

A judge has a C library of its own, so its programs are started by that library's loader: LOADER --library-path FOLDERS PROGRAM. What the
judge does not have comes from this machine, which works because a C library runs what was linked with an older one. LD_PRELOAD is
honoured by that loader, too, and so is everything that stands on it (`tuff shim`). Programs that PROGRAM starts run as ever."""
import collections
import glob
import os
import pathlib
import platform
import shutil

TABLE = pathlib.Path(__file__).resolve().parent.parent / "scripts" / "judges.txt"
COMMAND = "scripts/judges"
TRIPLETS = {"arm64": "aarch64-linux-gnu", "amd64": "x86_64-linux-gnu"}
MACHINES = {"aarch64": "arm64", "x86_64": "amd64"}

Row = collections.namedtuple("Row", "name suite base packages")


def table():
    """The judges, oldest release first."""
    rows = []
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        words = line.partition("#")[0].split()
        if words:
            rows.append(Row(*words[:3], words[3:]))
    return sorted(rows, key=lambda row: [int(part) for part in row.name.split(".")])


def cache():
    named = os.environ.get("TUFF_JUDGES")
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return pathlib.Path(named or os.path.join(home, "tuff-judges")).absolute()


def machine():
    return MACHINES.get(platform.machine(), platform.machine())


class Judge:
    """One release for one architecture; it may not be there yet."""

    def __init__(self, name, architecture=None):
        self.name = name
        self.architecture = architecture or machine()
        self.folder = cache() / f"{name}-{self.architecture}"
        self.root = self.folder / "root"
        # Written last: when it is there, all of the judge is.
        self.record = self.folder / "packages.txt"

    def is_here(self):
        return self.record.is_file()

    def lacks(self, packages):
        """Those of the packages that the judge does not have: it was brought when the table named fewer."""
        found = {line.split()[0] for line in self.record.read_text(encoding="utf-8").splitlines()}
        return [package for package in packages if package not in found]

    def version(self, package="mesa-vulkan-drivers"):
        """Debian's version of a package of the judge; None where it has none."""
        found = dict(line.split()[:2] for line in self.record.read_text(encoding="utf-8").splitlines())
        return found.get(package)

    def libraries(self):
        """Debian 12 has some below /lib, Debian 13 all below /usr/lib."""
        triplet = TRIPLETS[self.architecture]
        return [str(path) for path in (self.root / "usr/lib" / triplet, self.root / "lib" / triplet) if path.is_dir()]

    def loader(self):
        found = [path for folder in self.libraries() for path in sorted(glob.glob(f"{folder}/ld-linux*.so.*"))]
        return found[0] if found else None

    def manifest(self, prefix):
        """The Vulkan loader's file of a driver, by how Mesa's begins (radeon_icd, lvp_icd, ...): one of the packages, or one that somebody built of the same
        release and named in the folder `own`, which stays as it is when the judge is brought again. None where there is no such driver."""
        found = [path for folder in ("icd", "own") for path in sorted(self.folder.glob(f"{folder}/{prefix}*.json"))]
        return str(found[0]) if found else None

    def opengl(self, driver):
        """What a program's environment must say to get the judge's EGL; None where the judge has none, or none with that driver."""
        vendor = self.root / "usr/share/glvnd/egl_vendor.d/50_mesa.json"
        has_driver = self.is_here() and any((pathlib.Path(place) / "dri" / f"{driver}_dri.so").exists() for place in self.libraries())
        return {"__EGL_VENDOR_LIBRARY_FILENAMES": str(vendor)} if has_driver and vendor.is_file() else None

    def command(self, words):
        """The command line that runs `words` on the judge. A name without a folder is one of the judge's own programs, or one of this machine's."""
        own = self.root / "usr/bin" / words[0]
        program = words[0] if os.sep in words[0] else str(own) if own.is_file() else shutil.which(words[0]) or words[0]
        return [self.loader(), "--library-path", ":".join(self.libraries()), program, *words[1:]]


def newest_headers():
    """The headers that scripts/headers brings, in a folder like a judge's; nothing of them is run."""
    return Judge("headers")
