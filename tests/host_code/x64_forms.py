"""The bytes of every x86-64 instruction that host code is made of, read by llvm-mc: they say what was meant."""
import re
import subprocess
import sys

sys.path.insert(0, __file__.rsplit("/", 2)[0])
import tap

FEATURES = "+avx2,+fma,+f16c,+avx512f,+avx512bw,+avx512cd,+avx512dq,+avx512vl,+avx512fp16"


def read_back(words):
    """llvm-mc's text of each word of bytes; None where it refuses one or sees more than one instruction."""
    source = "\n".join("[" + " ".join(f"0x{word[i:i + 2]}" for i in range(0, len(word), 2)) + "]" for word in words)
    run = subprocess.run(["llvm-mc", "-disassemble", "-triple=x86_64", "--output-asm-variant=1", f"-mattr={FEATURES}"],
                         input=source, capture_output=True, text=True)
    lines = [re.sub(r"\s+", " ", line.split("#")[0]).strip() for line in run.stdout.splitlines()]
    lines = [line for line in lines if line and line != ".text"]
    return lines if len(lines) == len(words) and run.returncode == 0 else None


def main():
    out = subprocess.run([sys.argv[1]], capture_output=True, text=True, check=True).stdout
    pairs = [line.split("\t") for line in out.splitlines()]
    by_name = {}
    for word, text in pairs:
        level = "AVX-512" if "zmm" in text or re.search(r"\bk\d", text) else "AVX2"
        by_name.setdefault(f"{text.split()[0]}, {level}", []).append((word, text))
    t = tap.Tap()
    for name, rows in by_name.items():
        texts = read_back([word for word, _ in rows])
        if texts is None:
            t.case(name, False, f"llvm-mc refuses some of: {' '.join(word for word, _ in rows)}")
            continue
        wrong = [f"{word}: meant {meant}, is {text}" for (word, meant), text in zip(rows, texts) if meant != text]
        t.case(f"{name}: {len(rows)} forms", not wrong, "\n".join(wrong))
    return t.done()


if __name__ == "__main__":
    sys.exit(main())
