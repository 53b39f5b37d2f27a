"""TAP output for the judges written in Python: every case counts, and a failure says what reproduces it."""
import sys


class Tap:
    def __init__(self):
        self.count = 0
        self.failed = 0

    def case(self, name, ok, detail=""):
        """Report one case; `detail` is printed, line by line, when it failed."""
        self.count += 1
        name = name.replace("#", "\\#")
        print(f"{'ok' if ok else 'not ok'} {self.count} - {name}")
        if not ok:
            self.failed += 1
            self.note(detail)
        sys.stdout.flush()
        return ok

    def skip(self, name, reason):
        self.count += 1
        print(f"ok {self.count} - {name} # SKIP {reason}")

    def skip_all(self, reason):
        """Say that nothing can be judged here. TAP has a word for it; Meson would take an exit code other than 0 as an error."""
        print(f"1..0 # SKIP {reason}")
        return 0

    def note(self, text):
        for line in str(text).splitlines():
            print(f"# {line}")

    def done(self):
        """Print the plan and return the exit code. No case at all is a failure: a test that asserts nothing is a defect."""
        print(f"1..{self.count}")
        if self.count == 0:
            print("Bail out! no case was run")
        return 1 if self.failed or self.count == 0 else 0
