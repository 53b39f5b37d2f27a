/* All registers of a pipeline's blocks in as few packets as can be: what the first draw of a recording writes.
 * Neighbours that belong to different blocks, or that a block has in another order, are in one packet here. */
#include "amd/driver/radeon_cmd.h"
#include "amd/driver/radeon_quick.h"
#include "util/bits.h"

enum {
    HEADER_DW = 2,      /* of a packet: its header and the first register */
    FILE_REGS = 0x400,  /* of a file; no pipeline has one beyond */
    MAX_WHOLE_DW = 512, /* pipelines with more write block by block */
};

/* Facts about a kind of registers. */
struct file {
    uint64_t known[FILE_REGS / 64];
    uint32_t values[FILE_REGS];
};

static const uint32_t opcodes[] = {AMD_PKT_SET_CONTEXT_REG, AMD_PKT_SET_SH_REG, AMD_PKT_SET_UCONFIG_REG};

static struct file *file_of(struct file files[ARRAY_SIZE(opcodes)], const uint32_t *packet)
{
    if (packet[1] + AMD_PKT_COUNT(packet[0]) > FILE_REGS)
        return NULL;
    for (uint32_t i = 0; i < ARRAY_SIZE(opcodes); i++) {
        if (packet[0] == amd_pkt3_header(opcodes[i], HEADER_DW + AMD_PKT_COUNT(packet[0]), (struct amd_pkt_flags){0}))
            return &files[i];
    }
    return NULL;
}

/* Packets of other kinds are copied, before all registers. */
static uint32_t *take_block(uint32_t *dw, struct file *files, const struct radeon_words *words)
{
    for (uint32_t at = 0, size_dw; at < words->count_dw; at += size_dw) {
        const uint32_t *packet = words->dw + at, count = AMD_PKT_COUNT(packet[0]);
        struct file *file = file_of(files, packet);
        size_dw = HEADER_DW + count;
        if (!file) {
            memcpy(dw, packet, size_dw * sizeof(*dw));
            dw += size_dw;
            continue;
        }
        for (uint32_t i = 0; i < count; i++) {
            const uint32_t reg = packet[1] + i;
            file->known[reg / 64] |= (uint64_t)1 << reg % 64;
            file->values[reg] = packet[HEADER_DW + i];
        }
    }
    return dw;
}

static uint32_t *write_file(uint32_t *dw, const struct file *file, uint32_t opcode)
{
    uint32_t *packet = NULL, next = FILE_REGS;
    for (uint32_t i = 0; i < ARRAY_SIZE(file->known); i++) {
        bits_foreach (file->known[i], bit) {
            const uint32_t reg = 64 * i + (uint32_t)bit;
            if (reg != next) {
                packet = dw;
                packet[1] = reg;
                dw += HEADER_DW;
            }
            *dw++ = file->values[reg];
            packet[0] = amd_pkt3_header(opcode, (uint32_t)(dw - packet), (struct amd_pkt_flags){0});
            next = reg + 1;
        }
    }
    return dw;
}

bool radeon_whole_make(struct radeon_device *device, struct radeon_graphics_pipeline *baked)
{
    struct file files[ARRAY_SIZE(opcodes)];
    uint32_t words[MAX_WHOLE_DW], *dw = words, most_dw = 0;
    for (uint32_t i = 0; i < RADEON_BLOCK_COUNT; i++)
        most_dw += baked->blocks[i] ? baked->blocks[i]->count_dw : 0;
    if (most_dw > MAX_WHOLE_DW)
        return true;
    for (uint32_t i = 0; i < ARRAY_SIZE(opcodes); i++)
        memset(files[i].known, 0, sizeof(files[i].known));
    for (uint32_t i = 0; i < RADEON_BLOCK_COUNT; i++) {
        if (baked->blocks[i])
            dw = take_block(dw, files, baked->blocks[i]);
    }
    for (uint32_t i = 0; i < ARRAY_SIZE(opcodes); i++)
        dw = write_file(dw, &files[i], opcodes[i]);
    const uint32_t count_dw = (uint32_t)(dw - words);
    const size_t copied_dw = align_u64(count_dw, RADEON_WHOLE_COPY_DW);
    baked->whole = vk_zalloc(&device->vk.alloc, NULL, sizeof(*baked->whole) + copied_dw * sizeof(*dw),
                             VK_SYSTEM_ALLOCATION_SCOPE_DEVICE);
    if (!baked->whole)
        return false;
    baked->whole->count_dw = count_dw;
    memcpy(baked->whole->dw, words, count_dw * sizeof(*dw));
    return true;
}
