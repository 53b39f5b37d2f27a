#!/usr/bin/env python3
"""Every GFX10.3 instruction in every form of its operands, against Debian's llvm-mc: the assembler's bytes, the disassembler's text,
and what either of them refuses.

    isa_forms.py TUFF [--only REGEX] [--show N]

The forms come from the instruction tables (isa_form_list.py). LLVM says which of them it takes; then `tuff asm` must give the same
bytes for those and refuse the others, and `tuff dis` must write LLVM's text for LLVM's bytes. Where LLVM is known to be wrong
(EXCEPTIONS, docs/isa-judge.md) the difference is counted and printed, nothing else is let through.
"""
import argparse
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import isa_form_list  # noqa: E402
import tap  # noqa: E402
from llvm_mc import TOOL, arguments  # noqa: E402

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
exception("write-of-constant", "takes", r"^(s_(?!cmp_|bitcmp|setpc|rfe|cbranch)\w+|v_(cmp|readlane|readfirstlane)\w*) src_\w+|"
          r"^v_(div_scale|mad_[iu]64|\w+_co_)\S+ v\S+, src_\w+")
exception("constant-as-register", "takes", r"^s_(setreg_b32|(buffer_)?load|atc).*\b(src_\w+|null)\b")
exception("interp-number", "takes", r"^v_interp_\w+ .*, (neg\(|-?\|)?-?[0-9][0-9a-fx.]*\b")
exception("interp-number", "refuses", r"^v_interp_\w+ .*, 0x[0-9a-f]{8}$")
exception("real-without-exponent", "takes", r"\b1\.5e$")
exception("null-saddr", "takes", r"^(global|scratch)_.*\bnull\b")
exception("op-sel-extra-bits", "takes", r"^\S+ v\S+, v\S+, v\S+ (op_sel|op_sel_hi|neg_lo|neg_hi):\[.,.,1|"
          r"^\S+ v\S+, v\S+, v\S+, v\S+ (op_sel|op_sel_hi|neg_lo|neg_hi):\[.,.,.,1|^\S+ \S+, \S+, \S+ op_sel:\[1,0,1\]")
exception("packed-neg-dropped", "takes", r"^v_(pk_\w+_[iub]16|dot\w+_[iu]\w+)\S* .*(neg_lo|neg_hi):\[.,(1|.,1)")
exception("sext-dropped", "takes", r"^(?!\S+_sdwa ).*\bsext\(")
exception("packed-half-literal", "takes", r"^v_(pk_\w+_f16|dot2\w*_f16)\S* .*\b0x(3f800000|3e22f983)\b")
exception("packed-integer-float", "text", r"^v_(pk_\w+_[iub]16|dot2_[iu]32_[iu]16) .*0x(3[8c]00|b[8c]00|4[04]00|c[04]00|3118)\b")
exception("sext-for-neg", "text", r"^v_(ldexp_f\w+|cvt_pk_u8_f32|trig_preop_f64) .*\bsext\(")
exception("abs-dropped", "takes", r"^v_div_scale_f\S+ .*(\||abs\()")
exception("class-half-sdwa", "takes", r"^v_cmpx?_class_f16_sdwa .*\b0x(3f800000|3e22f983)\b")
exception("lane-e64", "refuses", r"^v_(read|write)lane_b32_e64 ")
exception("k-constant-half", "refuses", r"^v_fma[am]k_f16\S* .*\b0x(ffff|3c00|3118)\b")
exception("cndmask-sdwa", "takes", r"^v_cndmask_b32_sdwa .*(-v|\||neg\(|abs\()")
exception("cvt-pkrtz-short", "refuses", r"^v_cvt_pkrtz_f16_f32(_sdwa|_dpp| .*(_sel:|_perm:|row_|dpp8:))")
exception("smem-both-offsets", "refuses", r"^s_\w+ .*, \w+ offset:4$")
exception("compare-dpp", "refuses", r"^v_cmpx?_\S+ .*((quad_perm|row_\w+|dpp8):|row_(half_)?mirror)")
exception("op-sel-integers", "refuses", r"^v_((add|sub)_nc_u16|mul_lo_u16|(lshl|lshr)rev_b16|ashrrev_i16|(max|min)_[iu]16)\S* .*op_sel:")
exception("op-sel-interp", "refuses", r"^v_interp_p2_f16\S* .*op_sel:")
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
        """For each line its bytes, or the message of why not."""
        result = run([self.command, "asm", "--gpu", GPU, "--wave", self.wave, "--lines", "-"], ("\n".join(lines) + "\n").encode())
        if result.returncode not in (0, 1):
            raise RuntimeError(f"tuff asm ended with {result.returncode}: {result.stderr[-500:].decode(errors='replace')}")
        answers = []
        for text in result.stdout.decode(errors="replace").splitlines():
            answers.append(text if text.startswith("error") else b"".join(int(w, 16).to_bytes(4, "little") for w in text.split()))
        if len(answers) != len(lines):
            raise RuntimeError(f"tuff asm answered {len(answers)} of {len(lines)} lines")
        return answers

    def disassemble(self, data):
        result = run([self.command, "dis", "--gpu", GPU, "--wave", self.wave, "-"], data)
        return result.stdout.decode(errors="replace").splitlines(), result.returncode


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

    @staticmethod
    def is_known(kind, text):
        return next((name for name, its_kind, pattern in EXCEPTIONS if kind == its_kind and pattern.search(text)), None)

    def excuse(self, kind, text):
        name = self.is_known(kind, text)
        if name:
            self.excused[name] = self.excused.get(name, 0) + 1
        return name is not None

    def sample(self, failures, text_of=lambda failure: failure):
        """The first failure of each instruction, as many as are wanted."""
        first = {}
        for failure in failures:
            first.setdefault(text_of(failure).split()[0], failure)
        return list(first.values())[:self.show]

    def case(self, name, count, shown, reproduce):
        self.report.case(name, count == 0, f"{count} differ; one of each instruction:\n" + "\n".join(shown) + f"\n{reproduce}")


def judge_group(judge, path, wave, group, lines):
    tuff, name = Tuff(path, wave), f"{group}, wave{wave}"
    theirs, ours = llvm_assemble(lines, wave), tuff.assemble(lines)
    reproduce = f"echo LINE | tuff asm --wave {wave} --lines -; echo LINE | llvm-mc --show-encoding {' '.join(arguments(GPU, wave))}"
    taken = {line: (a, b) for line, a, b in zip(lines, theirs, ours) if a is not None}
    refused = {line: b for line, a, b in zip(lines, theirs, ours) if a is None}

    differ = {line for line, (a, b) in taken.items() if a != b}
    wrong = [line for line in taken if line in differ and not judge.excuse("takes", line)]
    judge.case(f"{name}: {len(taken)} forms have LLVM's bytes", len(wrong),
               [f"{w}\n    LLVM {taken[w][0].hex(' ')}\n    ours {shown(taken[w][1])}" for w in judge.sample(wrong)], reproduce)

    wrong = [line for line, b in refused.items() if isinstance(b, bytes) and not judge.excuse("refuses", line)]
    judge.case(f"{name}: {len(refused)} forms are refused as LLVM refuses them", len(wrong),
               [f"{w}\n    ours {shown(refused[w])}" for w in judge.sample(wrong)], reproduce)

    blocks = list(dict.fromkeys(a for line, (a, _) in taken.items() if line not in differ))
    pairs = [(data, text) for data, text in zip(blocks, llvm_disassemble(blocks, wave)) if text is not None]
    known = [p for p in pairs if judge.is_known("text", p[1])]
    for _, text in known:
        judge.excuse("text", text)
    wrong = wrong_texts(tuff, [p for p in pairs if not judge.is_known("text", p[1])]) if pairs else []
    judge.case(f"{name}: {len(pairs)} encodings have LLVM's text", len(wrong),
               [f"{data.hex(' ')}\n    LLVM {a}\n    ours {b}" for data, a, b in judge.sample(wrong, lambda w: w[1])],
               "tuff dis and llvm-mc -disassemble on these bytes")
    return len(taken), len(refused), len(pairs)


def shown(answer):
    return answer.hex(" ") if isinstance(answer, bytes) else answer


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
