"""What Adreno's hardware tables say in their own way (src/hw/table.py). One generation, A6xx; offsets count dwords, as the headers of type-4
packets do.

  packet    a type-7 packet of the command processor

Registers are `user` or `kernel`: the kernel protects the latter from the streams of programs (the ranges of the Adreno 635; chips.table has
those of each chip).

A policy `stop-unless` holds when a draw or a dispatch uses the state, not when it is written: a stream may leave anything in registers that
nothing reads."""
import table

FAMILY = table.Family(
    "adreno", "adreno/hw", {"a6xx": "ADRENO_A6XX"}, complete="a6xx", unit_B=4, limit=0x10000,
    spaces={"user": (0x0, 0x10000), "kernel": (0x0, 0x10000)},
    packets=(table.PacketKind("packet", "pkt", "packets.h", header="adreno_pkt7_header"),),
    types={"regid": ("hex", 0)},
    includes=("adreno/hw/pack.h",))
