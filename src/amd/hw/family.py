"""What Radeon's hardware tables say in their own way (src/hw/table.py).

  packet    a type-3 packet of the command processor
  sdma      a packet of the DMA engine: the cell is the low half of its header, and fields may stand in the upper half"""
import table

SPACES = {"config": (0x8000, 0xb000), "sh": (0xb000, 0xc000), "context": (0x28000, 0x30000), "uconfig": (0x30000, 0x40000),
          "wave": (0x400, 0xc00)}
FLAGS = ("struct amd_pkt_flags", "{AMD_PKT3_PREDICATE(dw[0]), AMD_PKT3_COMPUTE(dw[0]), AMD_PKT3_RESET_FILTER_CAM(dw[0])}")

FAMILY = table.Family(
    "amd", "amd/hw", {"gfx9": "AMD_GFX9", "gfx10.3": "AMD_GFX10_3", "gfx11": "AMD_GFX11"}, parameter=("enum amd_gfx", "gfx"),
    complete="gfx10.3", unit_B=1, limit=0x40000, spaces=SPACES, clear_space="context",
    packets=(table.PacketKind("packet", "pkt", "packets.h", header="amd_pkt3_header", flags=FLAGS),
             table.PacketKind("sdma", "sdma", "sdma.h", opcode=(0, 16))),
    types={"shreg": ("reg", SPACES["sh"][0]), "ctxreg": ("reg", SPACES["context"][0]), "ureg": ("reg", SPACES["uconfig"][0])},
    tails={f"regs-{space}": ("regs", SPACES[space][0]) for space in ("config", "sh", "context", "uconfig")},
    includes=("amd/hw/pack.h",))
