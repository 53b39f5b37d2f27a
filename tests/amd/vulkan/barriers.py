"""What a barrier is in Radeon's streams (tests/vulkan/tables/barrier_table.py): the packets, and what they do. Waits are compared by what they reach: an end-of-pipe event that is
waited for has waited for pixels, and a wait for pixels is also one for vertices."""
import re

JUDGE = "radv"
JUDGE_NAME = "RADV"
MARK = "DISPATCH_DIRECT .*DIM_X={} DIM_Y=1 DIM_Z=1 "
GCR = ("GLI_INV", "GLM_WB", "GLM_INV", "GLK_INV", "GLV_INV", "GL1_INV", "GL2_INV", "GL2_WB")
PIPE_EVENTS = {"CACHE_FLUSH_AND_INV_TS_EVENT": {"CB_DATA", "DB_DATA"}, "FLUSH_AND_INV_CB_DATA_TS": {"CB_DATA"}, "FLUSH_AND_INV_DB_DATA_TS": {"DB_DATA"},
               "BOTTOM_OF_PIPE_TS": set()}
EVENTS = {"CS_PARTIAL_FLUSH": {"CS_WAIT"}, "PS_PARTIAL_FLUSH": {"PS_WAIT"}, "VS_PARTIAL_FLUSH": {"VS_WAIT"}, "FLUSH_AND_INV_CB_META": {"CB_META"},
          "FLUSH_AND_INV_DB_META": {"DB_META"}, "VGT_FLUSH": {"VGT_FLUSH"}}
ORDER = ("VS_WAIT", "PS_WAIT", "CS_WAIT", "DMA_WAIT", "CB_DATA", "CB_META", "DB_DATA", "DB_META", *GCR, "PFP_SYNC", "VGT_FLUSH")


def fields(packet):
    return dict(re.findall(r"(\w+)=(\S+)", packet))


def caches(words):
    return {name for name in GCR if words.get(name, "0") not in ("0", "NOP")}


def effects(stream):
    """What the packets between the marks do, as a set of words."""
    found = set()
    for i, packet in enumerate(stream):
        name, words = packet.split()[0], fields(packet)
        if name == "EVENT_WRITE":
            found |= EVENTS.get(words["EVENT_TYPE"], set())
        elif name == "ACQUIRE_MEM":
            # The front of the command processor waits for it, too (src/amd/driver/radeon_order.c).
            found |= caches(words) | {"PFP_SYNC"}
        elif name == "RELEASE_MEM":
            # Of use here only if the stream waits for its word.
            if any(later.startswith("WAIT_REG_MEM") and fields(later).get("ADDR") == words.get("ADDR") for later in stream[i:]):
                found |= PIPE_EVENTS.get(words["EVENT_TYPE"], set()) | caches(words) | {"PS_WAIT"}
        elif name == "PFP_SYNC_ME":
            found.add("PFP_SYNC")
        elif name == "DMA_DATA" and words.get("CP_SYNC") == "1":
            found.add("DMA_WAIT")
    if "PS_WAIT" in found:
        found.add("VS_WAIT")
    return found
