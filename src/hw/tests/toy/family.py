"""A made-up family, for the tests of what src/hw promises every family: one generation, offsets in dwords, wide registers, instructions of 64 bits whose
opcode is in the top byte, packets with pairs and repeats."""
import table

FAMILY = table.Family(
    "toy", "hw/tests/toy", {"only": "TOY_ONLY"}, complete="only", unit_B=4, limit=0x1000, spaces={"all": (0, 0x1000)},
    packets=(table.PacketKind("packet", "pkt", "packets.h", header="toy_header"),
             table.PacketKind("instruction", "instr", "instructions.h", opcode=(56, 8), is_word=True)),
    types={"slot": ("reg", 0x100), "r": ("letter", ord("r"))}, includes=("hw/tests/toy/pack.h",))
