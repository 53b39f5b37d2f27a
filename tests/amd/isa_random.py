#!/usr/bin/env python3
"""Random words through llvm-mc and `tuff dis`: where LLVM agrees with itself — what it prints assembles to the same bytes again — our
text and length must be the same. Elsewhere ours must not report another length than LLVM's.

    isa_random.py TUFF [--count WORDS] [--seed N] [--wave 32|64]...      WORDS are instructions tried for each wave size
"""
import argparse
import collections
import concurrent.futures
import os
import random
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, ".."), os.path.join(HERE, "..", "..", "src", "amd", "isa")]
import llvm_mc  # noqa: E402
from tap import Tap  # noqa: E402

GENERATIONS = {"gfx1030": "gfx10_3", "gfx900": "gfx9"}
BLOCK_DW = 5                 # the longest instruction
NOP = 0xBF800000
BATCH = 10000
UNREAD_TRIES = 4             # words of each encoding with random bits where nothing is read
SHOWN = 12                   # mismatches that are printed
SOURCES = [0, 1, 2, 5, 104, 105, 106, 107, 108, 122, 124, 125, 126, 127, 128, 129, 192, 193, 208, 209, 235, 236, 239, 240, 241, 246,
           247, 248, 251, 252, 253, 254, 255, 256, 257, 300, 511]
LITERALS = [0, 1, 64, 65, 0xFFFFFFFF, 0x3F800000, 0x3C00, 0x80000000, 0x12345678, 0xFFFF, 0x10000, 0xBC00]


# Texts of LLVM 14 that assemble again but say what the hardware does not do: docs/isa-judge.md gives the reasons.
FAULTS = [
    ("sext outside of SDWA", re.compile(r"^(?!\S*_sdwa).*sext\(")),
]

# Texts in which LLVM shows a bit that hardware ignores: neg as sext, the sign of an offset in FLAT ("MSB is ignored"), signs of packed integers.
UNREAD_FAULTS = [re.compile(pattern) for pattern in (r"^(?!\S*_sdwa).*sext\(", r"^flat_.* offset:(204[89]|20[5-9]\d|2[1-9]\d\d|[34]\d\d\d)\b",
                                                     r"^v_(pk_\w+_[iub]16|dot\w+_[iu]\w+) .*neg_(lo|hi):")]


class Words:
    """Biased random instructions: mostly what some row of the table accepts, then its neighbours, then anything."""

    def __init__(self, gpu, seed):
        import gen_isa
        self.random = random.Random(seed)
        generation = GENERATIONS[gpu]
        self.entries = [e for e in gen_isa.Model(meanings=False).entries if e.layout.generation == generation]
        self.names = {e.row.names[generation] for e in self.entries}
        self.by_layout = collections.defaultdict(list)
        for entry in self.entries:
            self.by_layout[entry.layout.name].append(entry)
        self.layouts = sorted(self.by_layout)

    def operand_bias(self, word, layout):
        for name in ("src0", "src1", "src2", "ssrc0", "ssrc1", "soffset"):
            pieces = layout.fields.get(name, ())
            if len(pieces) == 1 and pieces[0].width >= 8 and self.random.random() < 0.4:
                piece = pieces[0]
                value = self.random.choice(SOURCES) & ((1 << piece.width) - 1)
                word = word & ~piece.mask | value << piece.low
        return word

    def modifier_bias(self, word, entry):
        """All modifiers at once are rarely valid: keep a few of them."""
        keep = self.random.random()
        for field, pieces in entry.layout.fields.items():
            if field in ("abs", "neg", "neg_hi", "op_sel", "clamp", "omod", "sext", "glc", "slc", "dlc", "lds", "tfe", "lwe",
                         "r128", "a16", "d16", "unorm", "gds") and self.random.random() > keep:
                for piece in pieces:
                    word &= ~(piece.mask & ~entry.mask)
        return word

    def valid_bias(self, word, entry):
        """Fields in which few values have a meaning."""
        fields = entry.layout.fields
        for field in ("dst_sel", "src0_sel", "src1_sel"):
            for piece in fields.get(field, ()):
                if word >> piece.low & 7 == 7:
                    word ^= (self.random.randrange(1, 8)) << piece.low
        for piece in fields.get("dst_unused", ()):
            if word >> piece.low & 3 == 3:
                word ^= self.random.randrange(1, 4) << piece.low
        return word

    def one(self):
        rnd = self.random
        entry = rnd.choice(self.by_layout[rnd.choice(self.layouts)])
        kind = rnd.random()
        word = rnd.getrandbits(64)
        if kind < 0.9:
            word = self.modifier_bias(self.operand_bias(word, entry.layout), entry)
            word = word & ~entry.mask | entry.value
            if kind > 0.7:
                for _ in range(rnd.randrange(1, 3)):
                    word ^= 1 << rnd.randrange(64)
            word = self.valid_bias(word, entry)
        words = [word & 0xFFFFFFFF, word >> 32]
        if entry.layout.size_dw == 1 and kind < 0.9:
            words[1] = rnd.choice(LITERALS) if rnd.random() < 0.3 else rnd.getrandbits(32)
        while len(words) < BLOCK_DW:
            words.append(rnd.choice(LITERALS) if rnd.random() < 0.3 else rnd.getrandbits(32))
        return words


class Flips:
    """Every encoding of every instruction with plain operands, each of its bits turned over: what an encoding accepts, exhaustively."""

    def __init__(self, words):
        self.names, self.blocks, self.next = words.names, [], 0
        for entry in words.entries:
            base = self.plain(entry)
            for bit in range(32 * entry.layout.size_dw):
                word = base ^ 1 << bit
                if not self.crashes_llvm(word):
                    self.blocks.append([word & 0xFFFFFFFF, word >> 32] + [3] * (BLOCK_DW - 2))

    @staticmethod
    def plain(entry):
        word, fields = entry.value, entry.layout.fields
        for number, name in enumerate(("src0", "src1", "src2")):
            if name in fields and len(fields[name]) == 1 and fields[name][0].width == 9 and not entry.mask & fields[name][0].mask:
                operand = entry.row.operand(f"s{number}")
                scalar = operand and operand.type == "mask" or entry.row.has(f"s{number}_scalar")
                word |= (4 if scalar else 257 + number) << fields[name][0].low
        for name in ("dst_sel", "src0_sel", "src1_sel"):
            if name in fields and not entry.mask & fields[name][0].mask:
                word |= 6 << fields[name][0].low
        return word

    @staticmethod
    def crashes_llvm(word):
        return word >> 31 & 1 == 0 and word & 0x1FF == 0xF9 and any(word >> low & 7 == 7 for low in (40, 48, 56))

    def one(self):
        self.next += 1
        return self.blocks[self.next - 1]


def ours(tuff, blocks, gpu, wave):
    """For each block the first instruction as (text, bytes), None where it is none. The stream is laid out so that each block
    begins where an instruction begins, whatever stands before it."""
    stride = 2 * BLOCK_DW
    code = b"".join(w.to_bytes(4, "little") for words in blocks for w in words + [NOP] * BLOCK_DW)
    run = subprocess.run([tuff, "dis", "--gpu", gpu, "--wave", str(wave), "--offset", "-"], input=code, stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL)
    if run.returncode not in (0, 1):
        raise RuntimeError(f"tuff dis died with {run.returncode}")
    lines = [line.split(": ", 1) for line in run.stdout.decode().splitlines()]
    starts = [int(offset, 16) for offset, _ in lines] + [len(code)]
    result = [None] * len(blocks)
    for i, (_, text) in enumerate(lines):
        block, rest = divmod(starts[i], stride * 4)
        if rest == 0 and not text.startswith(".long"):
            result[block] = (text, starts[i + 1] - starts[i])
    return result


class Counts(collections.Counter):
    def line(self):
        names = ("words", "llvm_crashed", "llvm_rejects", "llvm_accepts", "llvm_inconsistent", "llvm_consistent", "equal", "known_faults", "not_transcribed",
                 "inconsistent_same_length", "inconsistent_ours_rejects", "inconsistent_other_length", "ours_only")
        return ", ".join(f"{name.replace('_', ' ')} {self[name]}" for name in names)


def show(words):
    return " ".join(f"{w:08x}" for w in words)


def is_transcribed(names, text):
    """Of other generations than GFX10.3 the table has a few rows, without DPP, SDWA and loads into LDS."""
    name = re.sub(r"_(e32|e64)$", "", text.split()[0])
    return name in names and not text.endswith(" lds")


def judge_batch(tuff, blocks, names, gpu, wave):
    """Counts, failures and notes of some blocks; runs in a process of its own."""
    counts, failures, notes = Counts(), [], []
    theirs = llvm_mc.disassemble(blocks, gpu, wave)
    mine = ours(tuff, blocks, gpu, wave)
    texts = [answer[0][0] for answer in theirs if answer]
    again = iter(llvm_mc.assemble(texts, gpu, wave))
    for words, answer, own in zip(blocks, theirs, mine):
        counts["words"] += 1
        if answer is None:
            counts["llvm_crashed"] += 1
            continue
        original = b"".join(w.to_bytes(4, "little") for w in words)
        assembled = next(again) if answer else None
        # What llvm-mc prints first may be the instruction after a dword that it rejected.
        starts_here = answer and answer[0][1][:1] and len(answer[0][1]) <= len(original) and first_is_here(answer, original)
        if not starts_here:
            counts["llvm_rejects"] += 1
            if own is not None:
                counts["ours_only"] += 1
                notes.append(f"{show(words)} only ours: {own}")
            continue
        text, encoding = answer[0]
        counts["llvm_accepts"] += 1
        if assembled == encoding == original[:len(encoding)]:
            counts["llvm_consistent"] += 1
            if own == (text, len(encoding)):
                counts["equal"] += 1
            elif own is None and gpu != "gfx1030" and not is_transcribed(names, text):
                counts["not_transcribed"] += 1
            elif any(pattern.search(text) for _, pattern in FAULTS):
                counts["known_faults"] += 1
            else:
                failures.append(f"{show(words)}\n  llvm: {text} ({len(encoding)} bytes)\n  ours: {own}")
        else:
            counts["llvm_inconsistent"] += 1
            if own is None:
                counts["inconsistent_ours_rejects"] += 1
                notes.append(f"{show(words)} llvm: {text}")
            elif own[1] == len(encoding) or llvm_length_is(words, own[1], text, gpu, wave):
                counts["inconsistent_same_length"] += 1
            else:
                counts["inconsistent_other_length"] += 1
                notes.append(f"{show(words)} llvm: {text} ({len(encoding)}) ours: {own}")
    return counts, failures, notes


def llvm_length_is(words, size_B, text, gpu, wave):
    """LLVM encodes some instructions shorter than they stood. It read as many bytes as it must have to give the same text."""
    whole, short = llvm_mc.disassemble([words[:size_B // 4], words[:size_B // 4 - 1]], gpu, wave)
    return bool(whole) and len(whole) == 1 and whole[0][0] == text and not (short and short[0][0] == text)


def first_is_here(answer, original):
    """LLVM says nothing of where an instruction stood: it rejected the first dword if the answers do not fill the block from its
    beginning."""
    first = answer[0][1]
    return first[3:4] == original[3:4] or first[:4] == original[:4]


def judge(tap, arguments, what, words, gpu, wave, count):
    counts, failures, notes = Counts(), [], []
    with concurrent.futures.ProcessPoolExecutor(max_workers=os.cpu_count()) as pool:
        for first in range(0, count, BATCH * os.cpu_count()):
            sizes = [min(BATCH, count - start) for start in range(first, min(count, first + BATCH * os.cpu_count()), BATCH)]
            jobs = [pool.submit(judge_batch, arguments.tuff, [words.one() for _ in range(size)], words.names, gpu, wave) for size in sizes]
            for job in jobs:
                more_counts, more_failures, more_notes = job.result()
                counts.update(more_counts)
                failures += more_failures
                notes += more_notes
    tap.note(f"{what}: {counts.line()}")
    if arguments.notes:
        with open(f"{arguments.notes}.{gpu}.{wave}", "w", encoding="utf-8") as file:
            file.write("\n".join(notes + failures) + "\n")
    again = f"tests/amd/isa_random.py TUFF --gpu {gpu} --count {count} --seed {arguments.seed} --wave {wave}"
    tap.case(f"{what}: {counts['llvm_consistent']} words in which LLVM is consistent have the same text and length",
             not failures and counts["equal"] > 0, "\n".join(failures[:SHOWN]) + f"\n{len(failures)} differ; again: {again}")
    tap.case(f"{what}: no word has another length than LLVM's", counts["inconsistent_other_length"] == 0,
             "\n".join(notes[:SHOWN]) + f"\nagain: {again}")


def text_here(answer, words):
    """LLVM's text of the first instruction of a block, None where it takes none there."""
    original = b"".join(w.to_bytes(4, "little") for w in words)
    return answer[0][0] if answer and answer[0][1] and first_is_here(answer, original) else None


def judge_unread(tap, arguments, words, gpu, wave):
    """Bits of which the tables say that nothing reads them (encoding_rules.py): set at random, they change our text nowhere, and LLVM's nowhere
    where it takes the words at all."""
    plain, dirty = [], []
    for entry in words.entries:
        if entry.unread:
            base = Flips.plain(entry)
            for _ in range(UNREAD_TRIES):
                bits = words.random.getrandbits(64) & words.random.getrandbits(64) & words.random.getrandbits(64) & entry.unread
                # The first source of v_nop still chooses its encoding.
                bits &= ~0x1FF if entry.layout.name == "vop1" else ~0
                for blocks, word in ((plain, base), (dirty, base ^ bits)):
                    blocks.append([word & 0xFFFFFFFF, word >> 32] + [3] * (BLOCK_DW - 2))
    texts = {}
    for name, blocks in (("plain", plain), ("dirty", dirty)):
        answers = [answer for start in range(0, len(blocks), BATCH) for answer in llvm_mc.disassemble(blocks[start:start + BATCH], gpu, wave)]
        texts[name] = [text_here(answer, block) for answer, block in zip(answers, blocks)], ours(arguments.tuff, blocks, gpu, wave)
    failures, taken = [], 0
    for block, llvm, llvm_plain, own, own_plain in zip(dirty, texts["dirty"][0], texts["plain"][0], texts["dirty"][1], texts["plain"][1]):
        taken += llvm is not None
        if own != own_plain or llvm is not None and llvm != llvm_plain and not any(pattern.search(llvm) for pattern in UNREAD_FAULTS):
            failures.append(f"{show(block)}\n  llvm: {llvm}\n  ours: {own}\n  without those bits: {llvm_plain}, {own_plain}")
    tap.case(f"{gpu}: bits that nothing reads change no text of {len(dirty)} words, of which LLVM takes {taken}", not failures and taken > 0,
             "\n".join(failures[:SHOWN]) + f"\n{len(failures)} differ")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tuff")
    parser.add_argument("--count", type=int, default=60000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--gpu", choices=sorted(GENERATIONS), help="only this one")
    parser.add_argument("--wave", type=int, action="append", choices=(32, 64))
    parser.add_argument("--llvm-mc", default=llvm_mc.TOOL, help="another than the one in the path")
    parser.add_argument("--notes", help="write what LLVM is inconsistent in and ours sees otherwise to this file")
    arguments = parser.parse_args()
    llvm_mc.TOOL = arguments.llvm_mc
    tap = Tap()
    if arguments.gpu != "gfx900":
        flips = Flips(Words("gfx1030", 0))
        judge(tap, arguments, "gfx1030, single bits", flips, "gfx1030", 32, len(flips.blocks))
        judge_unread(tap, arguments, Words("gfx1030", arguments.seed), "gfx1030", 32)
        for wave in arguments.wave or (32, 64):
            words = Words("gfx1030", arguments.seed + wave)
            judge(tap, arguments, f"gfx1030 wave{wave}", words, "gfx1030", wave, arguments.count)
    if arguments.gpu != "gfx1030":
        # A few rows only: a twentieth of the words finds all of them.
        count = arguments.count if arguments.gpu else max(arguments.count // 20, 1)
        judge(tap, arguments, "gfx900 wave64", Words("gfx900", arguments.seed), "gfx900", 64, count)
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
