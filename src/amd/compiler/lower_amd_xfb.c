/* Transform feedback by the hardware's VS stage. The geometry engine puts a primitive's vertices into lanes one after
 * the other, passes to each wave how many of them fit into all buffers, and counts; the shader writes:
 *
 *     if (lane < count)
 *         buffer[base + (first + lane) * stride + offset] = output
 *
 * While feedback is not active the count is 0. */
#include "amd/compiler/lower_amd.h"
#include "amd/compiler/select.h"
#include "util/bits.h"

static struct amd_channel *find_channels(struct ir_shader *shader)
{
    struct amd_channel *channels = ir_alloc_scratch(shader, AMD_XFB_LOCATIONS * 4 * sizeof(*channels));
    ir_foreach_block (shader, block) {
        ir_foreach_instr (block, instr) {
            if (instr->op != IR_OP_store_output)
                continue;
            struct ir_value *value = ir_src(instr, 0), *offset = ir_src(instr, 1);
            if (block->node.region != &shader->body || !ir_is_const(offset))
                ir_fail(shader, "a captured output that is stored under control flow or at a computed place");
            uint64_t first = (ir_imm(instr, IR_IMM_LOCATION) + ir_const_u64(offset)) * 4 + ir_imm(instr, IR_IMM_COMP);
            for (uint32_t i = 0; i < value->comps; i++) {
                uint64_t at = first + i * (value->bits == 64 ? 2 : 1);
                if (at < AMD_XFB_LOCATIONS * 4)
                    channels[at] = (struct amd_channel){value, (uint8_t)i};
            }
        }
    }
    return channels;
}

/* Where the lane's vertex begins in a buffer. */
static struct ir_value *vertex_offset(struct ir_builder *b, struct ir_value *bases, struct ir_value *vertex,
                                      uint32_t buffer)
{
    struct ir_value *base_B = ir_ishl(b, ir_extract(b, bases, buffer), ir_const(b, 32, 2));
    return ir_iadd(b, base_B, ir_imul(b, vertex, ir_const(b, 32, b->shader->xfb_stride_B[buffer])));
}

static bool has_any(const struct amd_channel *channels, const struct ir_capture *capture)
{
    const struct amd_channel *from = channels + capture->location * 4u + capture->component;
    bool found = false;
    for (uint32_t i = 0; i < capture->num_comps * (capture->bits == 64 ? 2u : 1u); i++)
        found |= from[i].value != NULL;
    return found;
}

static void store_capture(struct ir_builder *b, const struct amd_channel *channels, const struct ir_capture *capture,
                          struct ir_value *descriptor, struct ir_value *offset)
{
    uint32_t slots = capture->bits == 64 ? 2 : 1, size_B = capture->bits / 8u;
    const struct amd_channel *from = channels + capture->location * 4u + capture->component;
    struct ir_value *comps[4];
    for (uint32_t first = 0; first < capture->num_comps;) {
        uint32_t count = 0;
        for (; first + count < capture->num_comps; count++) {
            const struct amd_channel *channel = &from[(first + count) * slots];
            if (!channel->value || channel->value->bits != capture->bits)
                break;
            comps[count] = channel->value->comps == 1 ? channel->value : ir_extract(b, channel->value, channel->comp);
        }
        if (count)
            ir_store_ssbo(b, ir_vec(b, count, comps), descriptor, offset, capture->offset_B + first * size_B,
                          MIN2(size_B, 4u), 0, 0);
        first += MAX2(count, 1u);
    }
}

void amd_store_captures(struct ir_builder *b, const struct ir_capture *captures, uint32_t num_captures,
                        const struct amd_channel *channels)
{
    struct ir_value *descriptors[IR_XFB_BUFFERS] = {NULL}, *offsets[IR_XFB_BUFFERS];
    struct ir_value *config = ir_load_sysval(b, 32, 1, IR_SYSVAL_xfb_config),
                    *first = ir_load_sysval(b, 32, 1, IR_SYSVAL_xfb_first),
                    *bases = ir_load_sysval(b, 32, IR_XFB_BUFFERS, IR_SYSVAL_xfb_bases),
                    *lane = ir_load_sysval(b, 32, 1, IR_SYSVAL_subgroup_lane);
    struct ir_value *count = ir_iand(b, ir_ushr(b, config, ir_const(b, 32, 16)), ir_const(b, 32, 0x7f));
    ir_builder_push_if(b, ir_ult(b, lane, count));
    struct ir_value *vertex = ir_iadd(b, first, lane);
    for (uint32_t i = 0; i < num_captures; i++) {
        uint32_t buffer = captures[i].buffer;
        if (!has_any(channels, &captures[i]))
            continue;
        if (!descriptors[buffer]) {
            descriptors[buffer] = ir_load_desc(b, 4, ir_const(b, 32, AMD_XFB_SET), ir_const(b, 32, 16 * buffer));
            offsets[buffer] = vertex_offset(b, bases, vertex, buffer);
        }
        store_capture(b, channels, &captures[i], descriptors[buffer], offsets[buffer]);
    }
    ir_builder_pop_if(b);
}

bool amd_lower_amd_xfb(struct ir_shader *shader, const void *data)
{
    const struct amd_compile_options *options = data;
    if (shader->stage != IR_STAGE_vertex || !shader->num_captures || !options->stage || !options->stage->vs.legacy)
        return false;
    if (shader->gs.vertices_out)
        return false; /* a copy shader has stored them already */
    struct ir_builder b = ir_builder_at_body_end(shader);
    amd_store_captures(&b, shader->captures, shader->num_captures, find_channels(shader));
    return true;
}
