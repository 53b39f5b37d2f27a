"""What Mali's hardware tables say in their own way (src/hw/table.py). One generation, v10.

  instr     an instruction of the command stream: a word of 64 bits with the opcode in its top byte

Registers of the tables are the registers of a command-stream queue, as the instruction that starts work reads them. The same register
means one thing to RUN_COMPUTE and another to RUN_IDVS, so each of them has a space: compute, idvs, fragment. The offset of a row is its
space's base and the number of the register; MALI_SR() in pack.h takes the base away. A wide row is a pair, which must be even.

Descriptors are little-endian dwords in memory. The place of a field is its dword and its bits."""
import table

FAMILY = table.Family(
    "mali", "mali/hw", {"v10": "MALI_V10"}, complete="v10", unit_B=4, limit=0x400,
    spaces={"compute": (0x100, 0x160), "idvs": (0x200, 0x260), "fragment": (0x300, 0x360)},
    types={"r": ("letter", ord("r")), "d": ("letter", ord("d"))},
    packets=(table.PacketKind("instr", "cs", "instructions.h", opcode=(56, 8), is_word=True),),
    includes=("mali/hw/pack.h",))
