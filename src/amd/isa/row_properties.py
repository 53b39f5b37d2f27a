"""What a row says besides its encodings: memory class, counters, latency, hazards, and what its meaning reads and writes.
Not for: the language of meanings (src/isa/lane.py)."""


def memory_of(row):
    for word in ("load", "store", "atomic"):
        if row.has(word):
            return word.upper()
    return "OTHER" if row.format in ("smem", "ds", "mubuf", "exp") or row.has("message") else "NONE"


def counters_of(row):
    vmem = row.format in ("mubuf", "mtbuf", "mimg", "flat")
    if row.format in ("smem", "ds") and not row.has("nop") and not row.has("gws") and not row.has("probe"):
        return ["LGKM"]
    if row.has("gws"):
        return ["LGKM", "EXP"]
    if row.has("message"):
        return ["LGKM"]
    if row.has("export"):
        return ["EXP"]
    if vmem:
        result = ["VS"] if row.has("store") else ["VM"]
        return result + (["LGKM"] if row.has("flat") else [])
    return []


def latency_of(row):
    for word in ("trans", "f64", "quarter"):
        if row.has(word):
            return word.upper()
    if row.has("branch") or row.has("end"):
        return "BRANCH"
    if row.has("message"):
        return "MESSAGE"
    if row.has("export"):
        return "EXPORT"
    first = {"smem": "SMEM", "ds": "LDS", "mubuf": "VMEM", "mtbuf": "VMEM", "mimg": "VMEM", "flat": "VMEM"}
    return first.get(row.format, "SALU" if row.format.startswith("so") else "VALU")


def hazards_of(row, arguments):
    """The parts that an instruction may play in the hazards of GFX10.3 (isa.h)."""
    result = []
    if row.format in ("mubuf", "flat", "mimg") and any(a in ("min_f", "max_f", "cmpswap_f") for a in arguments):
        result.append("FP_ATOMIC")
    if row.format.startswith("v") or row.has("wait"):
        result.append("FP_ATOMIC_END")
    if row.name == "s_denorm_mode":
        result.append("DENORM_MODE")
    if row.format in ("sop1", "sop2", "sopk") and any(o.is_dst for o in row.operands):
        result.append("EXEC_WRITE")
    if row.format == "mimg":
        result.append("LONG_NSA")
    return result


class Meaning:
    """What the lane expression of a row shows: operands and state that are read and written. Empty where it is not written
    yet."""

    def __init__(self, row, dialect):
        self.reads = {p[6:] for p in row.properties if p.startswith("reads_")}
        self.writes = {p[7:] for p in row.properties if p.startswith("writes_")}
        self.reads_operands, self.writes_operands = set(), set()
        self.helper, self.arguments = None, []
        words = row.meaning.split()
        if words and words[0] == "helper":
            self.helper, *self.arguments = words[1:]
        elif dialect is not None and row.meaning not in ("", "?"):
            parsed, lane = dialect.parse(row), dialect.lane
            self.reads |= set(lane.implicit_reads(parsed))
            self.writes |= set(lane.implicit_writes(parsed))
            self.reads_operands = set(lane.reads_operands(parsed))
            self.writes_operands = set(lane.writes_operands(parsed))
        self.reads.discard("lane")  # a lane's number is no state
        # Vector instructions work for the lanes that exec names; those of the whole wave say themselves what they read.
        if row.format[0] in "vdmfe" and not row.has("wave") and row.operands:
            self.reads.add("exec")
        if row.format == "vintrp" or row.has("interp"):
            self.reads.add("m0")
        if row.has("branch"):
            self.writes.add("pc")
