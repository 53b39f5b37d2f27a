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
exception("atomic-dlc", "takes", r"^buffer_atomic_.*\bdlc\b")
exception("compressed-export", "takes", r"^exp \S+ (?!(\w+), \1, (\w+), \2 ).*\bcompr\b")
exception("ray-address-size", "takes", r"^image_bvh")
exception("image-size-missing", "refuses", r"^image_((load|store)_mip\w*|sample\w*|gather4\w*|get_lod) .*MSAA|^image_gather4\w* .* tfe .*d16|"
          r"^image_msaa_load .*dmask:0x0 .*d16")
exception("image-size-missing", "text", r"^image_(sample|gather4|get_lod)\w* .*MSAA_ARRAY")
exception("dmask-wraps", "takes", r"^image_.* dmask:0x10\b")
exception("buffer-swz", "takes", r"^buffer_.*\bswz\b")
exception("buffer-offset-wraps", "takes", r"^t?buffer_.* offset:4096\b")
exception("dpp-field-wraps", "takes", r"\b(row_mask|bank_mask):(16|0x10)\b|\bfi:2\b")
exception("number-wraps", "takes", r"^s_(setreg_imm32_b32 .*, 4294967296|atc_probe\w* (128|-1), .*)$")
exception("immediate-real", "takes", r"^s_(\w+ 1\.[05]$|setreg_imm32_b32 .*\d\.\d)")
exception("write-of-constant", "takes", r"^\S+ (v\S+, )?src_\w+\b")
exception("constant-as-register", "takes", r"^s_(setreg_b32|(buffer_)?load|atc).*\b(src_\w+|null)\b")
exception("interp-number", "takes", r"^v_interp_\w+ .*, (neg\(|-?\|)?-?[0-9][0-9a-fx.]*\b")
exception("real-without-exponent", "takes", r"\b1\.5e$")
exception("null-saddr", "takes", r"^(global|scratch)_.*\bnull\b")
exception("op-sel-extra-bits", "takes", r"\b(op_sel|op_sel_hi|neg_lo|neg_hi):\[")
exception("sext-dropped", "takes", r"^(?!\S+_sdwa ).*\bsext\(")
exception("packed-half-literal", "takes", r"^v_(pk_\w+_f16|dot2\w*_f16)\S* .*\b0x(3f800000|3e22f983)\b")
exception("packed-integer-float", "text", r"^v_(pk_\w+_[iub]16|dot2_[iu]32_[iu]16) .*0x(3[8c]00|b[8c]00|4[04]00|c[04]00|3118)\b")
exception("sext-for-neg", "text", r"^v_(ldexp_f\w+|cvt_pk_u8_f32|trig_preop_f64) .*\bsext\(")
exception("abs-dropped", "takes", r"^v_div_scale_f\S+ .*(\||abs\()")
exception("class-half-sdwa", "takes", r"^v_cmpx?_class_f16_sdwa .*\b0x(3f800000|3e22f983)\b")
exception("lane-e64", "refuses", r"^v_(read|write)lane_b32_e64 ")
exception("k-constant-half", "refuses", r"^v_fma[am]k_f16\S* .*\b0x(ffff|3c00|3118)\b")
exception("cndmask-sdwa", "takes", r"^v_cndmask_b32_sdwa .*(-v|\||neg\(|abs\()")
exception("cndmask-dpp", "refuses", r"^v_cndmask_b32\S* .*(quad_perm|row_\w+):")


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
        if number in refused:
            answers.append(None)
            continue
        # A word that LLVM knows nothing of is a symbol to it, and bytes with letters wait for its address.
        encoding = next(encodings)
        answers.append(None if "A" in encoding else bytes.fromhex(encoding.replace("0x", "").replace(",", "")))
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
    """(bytes, LLVM's text, our text) where the texts differ."""
    texts, status = tuff.disassemble(b"".join(data for data, _ in pairs))
    if status == 0 and len(texts) == len(pairs):
        return [(data, theirs, ours) for (data, theirs), ours in zip(pairs, texts) if theirs != ours]
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

    def sample(self, failures, text_of=lambda failure: failure):
        """The first failure of each instruction, as many as are wanted."""
        first = {}
        for failure in failures:
            first.setdefault(text_of(failure).split()[0], failure)
        return list(first.values())[:self.show]

    def case(self, name, count, shown, reproduce):
        self.report.case(name, count == 0, f"{count} differ; one of each instruction:\n" + "\n".join(shown) + f"\n{reproduce}")


def judge_group(judge, path, wave, group, lines):
    tuff = Tuff(path, wave)
    answers = llvm_assemble(lines, wave)
    taken = [(line, data) for line, data in zip(lines, answers) if data is not None]
    refused = [line for line, data in zip(lines, answers) if data is None]
    name = f"{group}, wave{wave}"
    reproduce = f"echo LINE | tuff asm --wave {wave} - | xxd; echo LINE | llvm-mc --show-encoding {' '.join(arguments(GPU, wave))}"

    wrong = [w for w in wrong_bytes(tuff, *map(list, zip(*taken))) if not judge.excuse("takes", w)] if taken else []
    by_line = dict(taken)
    judge.case(f"{name}: {len(taken)} forms have LLVM's bytes", len(wrong),
               [f"{w}\n    LLVM {by_line[w].hex(' ')}\n    ours {tuff.message(w)}" for w in judge.sample(wrong)], reproduce)

    wrong = [w for w in wrongly_taken(tuff, refused) if not judge.excuse("refuses", w)]
    judge.case(f"{name}: {len(refused)} forms are refused as LLVM refuses them", len(wrong), judge.sample(wrong), reproduce)

    blocks = list(dict.fromkeys(data for _, data in taken))
    texts = llvm_disassemble(blocks, wave)
    pairs = [(data, text) for data, text in zip(blocks, texts) if text is not None]
    wrong = [w for w in wrong_texts(tuff, pairs) if not judge.excuse("text", w[1])] if pairs else []
    judge.case(f"{name}: {len(pairs)} encodings have LLVM's text", len(wrong),
               [f"{data.hex(' ')}\n    LLVM {theirs}\n    ours {ours}" for data, theirs, ours in judge.sample(wrong, lambda w: w[1])],
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
