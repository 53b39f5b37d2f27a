"""The corpus of tests/shaders through this family's compiler alone: on the shader core without a driver (run_model.c), and under llvm-mc."""
import pathlib
import struct
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent)]
import llvm_mc  # noqa: E402

SMEM, SMEM_NO_REGISTER = 0x3d, 0x7d  # the encoding's mark, and the offset register that is none


def reads_the_same(code, answer):
    """LLVM 14 drops the constant of a scalar load that has a register for an offset, too (docs/isa-judge.md): that field is not compared."""
    at = 0
    for _, encoded in answer:
        mine = code[at:at + len(encoded)]
        at += len(encoded)
        if mine != encoded and not (len(mine) == 8 and mine[:4] == encoded[:4] and mine[3] >> 2 == SMEM and mine[7] >> 1 != SMEM_NO_REGISTER and mine[7] == encoded[7]):
            return False
    return at == len(code)


def check_disassembly(tap, shaders, directory, report):
    """The code that run_model wrote, of either size of wave."""
    for shape, wave in (("w64", 64), ("w32", 32)):
        found = [s for s in shaders if (pathlib.Path(directory) / f"{s.name}.{shape}.code").exists()]
        codes = [(pathlib.Path(directory) / f"{s.name}.{shape}.code").read_bytes() for s in found]
        blocks = [[w for (w,) in struct.iter_unpack("<I", code)] for code in codes]
        answers = llvm_mc.disassemble(blocks, wave=wave) if blocks else []
        for shader, code, answer in zip(found, codes, answers):
            same = answer is not None and reads_the_same(code, answer)
            report(tap, shader, f"{shader.name} under llvm-mc, {shape}", None if same else "llvm-mc reads something else")
