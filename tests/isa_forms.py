#!/usr/bin/env python3
"""Every GFX10.3 instruction in every form of its operands, against Debian's llvm-mc: the assembler's bytes, the disassembler's text,
and what either of them refuses.

    isa_forms.py TUFF [--only REGEX] [--show N]

The forms come from the instruction tables (tests/isa_form_list.py). LLVM says which of them it takes; then `tuff asm` must give the same
bytes for those and refuse the others, and `tuff dis` must write LLVM's text for LLVM's bytes. Where LLVM is known to be wrong
(EXCEPTIONS, docs/isa-judge.md) the difference is counted and printed, nothing else is let through.
"""
import argparse
import re
import subprocess
import sys

import isa_form_list
import tap
from llvm_mc import TOOL, arguments

GPU = "gfx1030"

# What LLVM 14 takes, or writes, in its own way. (name, pattern of the text, what differs: "takes" a form that we refuse, "refuses" one
# that we take, "text" or "bytes" that are not ours.) docs/isa-judge.md gives the reasons.
EXCEPTIONS = []


def exception(name, kind, pattern):
    EXCEPTIONS.append((name, kind, re.compile(pattern)))


exception("immediate-wraps", "takes", r"^s_(nop|sethalt|sleep|setprio|setkill|trap|incperflevel|decperflevel|denorm_mode|endpgm|"
          r"clause|inst_prefetch|round_mode|waitcnt_depctr|ttracedata_imm|waitcnt|version|waitcnt_\w+) .*(65536|0x10000|-32769)$")
exception("buffer-offset-wraps", "takes", r"^t?buffer_.* offset:4096\b")
exception("dpp-field-wraps", "takes", r"\b(row_mask|bank_mask):(16|0x10)\b|\bfi:2\b")
exception("write-of-constant", "takes", r"^\S+ (src_\w+|v[0-9]+, src_\w+)\b")
exception("null-saddr", "takes", r"^(global|scratch)_.*\bnull\b")
exception("op-sel-extra-bits", "takes", r"\b(op_sel|op_sel_hi|neg_lo|neg_hi):\[")
exception("compressed-export", "takes", r"^exp .*\bcompr\b")
exception("literal-loses-bits", "takes", r"_e32 ")


def run(command, source, **options):
    return subprocess.run(command, input=source, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=600, **options)


def llvm_assemble(lines, wave):
    """The bytes of each line, or None where LLVM refuses it."""
    result = run([TOOL, "--show-encoding", *arguments(GPU, wave)], "\n".join(lines) + "\n", text=True)
    if result.returncode not in (0, 1):
        if len(lines) == 1:
            return [None]
        middle = len(lines) // 2
        return llvm_assemble(lines[:middle], wave) + llvm_assemble(lines[middle:], wave)
    refused = {int(n) for n in re.findall(r"^<stdin>:(\d+):\d+: error", result.stderr, re.M)}
    encodings = iter(re.findall(r"; encoding: \[(.*)\]$", result.stdout, re.M))
    answers = []
    for number in range(1, len(lines) + 1):
        answers.append(None if number in refused else bytes.fromhex(next(encodings).replace("0x", "").replace(",", "")))
    if next(encodings, None) is not None:
        raise RuntimeError("llvm-mc answered more lines than it was given")
    return answers


def llvm_disassemble(blocks, wave):
    """The text of each block of bytes, or None where LLVM does not decode it."""
    source = "\n".join("[" + ",".join(f"0x{b:02x}" for b in block) + "]" for block in blocks) + "\n"
    result = run([TOOL, "-disassemble", *arguments(GPU, wave)], source, text=True)
    if result.returncode not in (0, 1):
        if len(blocks) == 1:
            return [None]
        middle = len(blocks) // 2
        return llvm_disassemble(blocks[:middle], wave) + llvm_disassemble(blocks[middle:], wave)
    invalid = {int(n) for n in re.findall(r"^<stdin>:(\d+):\d+: warning: (?:invalid|potentially)", result.stderr, re.M)}
    texts = [line.strip() for line in result.stdout.splitlines() if line.strip() and not line.strip().startswith(".text")]
    if len(texts) + len(invalid) != len(blocks):
        if len(blocks) == 1:
            return [None]
        middle = len(blocks) // 2
        return llvm_disassemble(blocks[:middle], wave) + llvm_disassemble(blocks[middle:], wave)
    answers = iter(texts)
    return [None if number in invalid else next(answers) for number in range(1, len(blocks) + 1)]


class Tuff:
    def __init__(self, path, wave):
        self.command, self.wave = path, str(wave)

    def assemble(self, lines):
        """(words, None), or (None, the number of errors)."""
        result = run([self.command, "asm", "--gpu", GPU, "--wave", self.wave, "-"], ("\n".join(lines) + "\n").encode())
        if result.returncode == 0:
            return result.stdout, 0
        if result.returncode != 1:
            raise RuntimeError(f"tuff asm ended with {result.returncode}: {result.stderr[-500:].decode(errors='replace')}")
        text = result.stderr.decode(errors="replace")
        more = re.search(r": (\d+) more errors$", text, re.M)
        return None, len(re.findall(r"^tuff asm: .*?:\d+:\d+: ", text, re.M)) + (int(more.group(1)) if more else 0)

    def message(self, line):
        result = run([self.command, "asm", "--gpu", GPU, "--wave", self.wave, "-"], (line + "\n").encode())
        return result.stderr.decode(errors="replace").strip() or "taken, as " + result.stdout.hex(" ")

    def disassemble(self, data):
        result = run([self.command, "dis", "--gpu", GPU, "--wave", self.wave, "-"], data)
        return result.stdout.decode(errors="replace").splitlines(), result.returncode


def wrong_bytes(tuff, lines, answers):
    """Lines whose bytes differ from LLVM's, found by halving."""
    words, _ = tuff.assemble(lines)
    if words == b"".join(answers):
        return []
    if len(lines) == 1:
        return [lines[0]]
    middle = len(lines) // 2
    return wrong_bytes(tuff, lines[:middle], answers[:middle]) + wrong_bytes(tuff, lines[middle:], answers[middle:])


def wrongly_taken(tuff, lines):
    """Lines that LLVM refuses and we take: every line must be one error."""
    if not lines or tuff.assemble(lines)[1] == len(lines):
        return []
    if len(lines) == 1:
        return list(lines)
    middle = len(lines) // 2
    return wrongly_taken(tuff, lines[:middle]) + wrongly_taken(tuff, lines[middle:])


def wrong_texts(tuff, pairs):
    """(line, bytes, LLVM's text, our text) where the texts differ."""
    texts, status = tuff.disassemble(b"".join(data for _, data, _ in pairs))
    if status == 0 and len(texts) == len(pairs):
        return [(line, data, theirs, ours) for (line, data, theirs), ours in zip(pairs, texts) if theirs != ours]
    if len(pairs) == 1:
        return [(*pairs[0], texts[0] if texts else "(refused)")]
    middle = len(pairs) // 2
    return wrong_texts(tuff, pairs[:middle]) + wrong_texts(tuff, pairs[middle:])


class Judge:
    def __init__(self, report, show):
        self.report, self.show = report, show
        self.excused = {}

    def excuse(self, kind, text):
        for name, its_kind, pattern in EXCEPTIONS:
            if kind == its_kind and pattern.search(text):
                self.excused[name] = self.excused.get(name, 0) + 1
                return True
        return False

    def case(self, name, failures, reproduce):
        shown = "\n".join(failures[:self.show])
        self.report.case(name, not failures, f"{len(failures)} differ; the first:\n{shown}\n{reproduce}")


def judge_group(judge, path, wave, group, lines):
    tuff = Tuff(path, wave)
    answers = llvm_assemble(lines, wave)
    taken = [(line, data) for line, data in zip(lines, answers) if data is not None]
    refused = [line for line, data in zip(lines, answers) if data is None]
    name = f"{group}, wave{wave}"
    reproduce = f"echo LINE | tuff asm --wave {wave} - | xxd; echo LINE | llvm-mc --show-encoding {' '.join(arguments(GPU, wave))}"

    wrong = [w for w in wrong_bytes(tuff, *map(list, zip(*taken))) if not judge.excuse("takes", w)] if taken else []
    by_line = dict(taken)
    judge.case(f"{name}: {len(taken)} forms have LLVM's bytes",
               [f"{w}\n    LLVM {by_line[w].hex(' ')}\n    ours {tuff.message(w)}" for w in wrong[:judge.show]] + wrong[judge.show:],
               reproduce)

    wrong = [w for w in wrongly_taken(tuff, refused) if not judge.excuse("refuses", w)]
    judge.case(f"{name}: {len(refused)} forms are refused as LLVM refuses them", wrong, reproduce)

    blocks = list(dict.fromkeys(data for _, data in taken))
    first_line = {}
    for line, data in taken:
        first_line.setdefault(data, line)
    texts = llvm_disassemble(blocks, wave)
    pairs = [(first_line[data], data, text) for data, text in zip(blocks, texts) if text is not None]
    wrong = [(line, data, theirs, ours) for line, data, theirs, ours in wrong_texts(tuff, pairs)
             if not judge.excuse("text", theirs)] if pairs else []
    judge.case(f"{name}: {len(pairs)} encodings have LLVM's text",
               [f"{data.hex(' ')}\n    LLVM {theirs}\n    ours {ours}" for _, data, theirs, ours in wrong],
               "tuff dis and llvm-mc -disassemble on these bytes")
    return len(taken), len(refused), len(pairs)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tuff")
    parser.add_argument("--only", default="", help="groups whose name matches")
    parser.add_argument("--show", type=int, default=10, help="failures to print of each case")
    parser.add_argument("--wave", type=int, choices=(32, 64))
    options = parser.parse_args()
    report = tap.Tap()
    judge = Judge(report, options.show)
    totals = [0, 0, 0]
    for wave in (32, 64):
        if options.wave not in (None, wave):
            continue
        for group, lines in isa_form_list.groups(wave).items():
            if re.search(options.only, group):
                counts = judge_group(judge, options.tuff, wave, group, lines)
                totals = [a + b for a, b in zip(totals, counts)]
    report.note(f"{totals[0]} forms assembled, {totals[1]} refused, {totals[2]} encodings disassembled")
    for name, count in sorted(judge.excused.items()):
        report.note(f"LLVM differs, {name}: {count} forms (docs/isa-judge.md)")
    return report.done()


if __name__ == "__main__":
    sys.exit(main())
