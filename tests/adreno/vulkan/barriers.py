"""What a barrier is in Adreno's streams (tests/vulkan/tables/barrier_table.py): events that caches write back and drop by, and waits."""
import platform
import re

JUDGE = "turnip-25.0" if platform.machine() == "aarch64" else "turnip-26.1"  # Debian builds 25.0 for arm64 alone
JUDGE_NAME = "Turnip"
MARK = "CP_EXEC_CS .*NGROUPS_X={} NGROUPS_Y=1 NGROUPS_Z=1"
EVENTS = {"PC_CCU_FLUSH_COLOR_TS": "COLOR_WB", "PC_CCU_FLUSH_DEPTH_TS": "DEPTH_WB", "PC_CCU_INVALIDATE_COLOR": "COLOR_INV", "PC_CCU_INVALIDATE_DEPTH": "DEPTH_INV",
          "CACHE_FLUSH_TS": "UCHE_WB", "CACHE_INVALIDATE": "UCHE_INV"}
WAITS = {"CP_WAIT_FOR_IDLE": "IDLE", "CP_WAIT_FOR_ME": "ME", "CP_WAIT_MEM_WRITES": "CP_WRITES"}
ORDER = (*EVENTS.values(), *WAITS.values())


def effects(stream):
    """What the packets between the marks do, as a set of words."""
    found = set()
    for packet in stream:
        name = packet.split()[0]
        event = re.search(r"\bEVENT=(\w+)", packet)
        if name == "CP_EVENT_WRITE" and event:
            found.add(EVENTS.get(event.group(1)))
        found.add(WAITS.get(name))
    return found - {None}
