/* Outputs of fragment shaders by attachments. */
#include "vulkan/runtime/vk_output_locations.h"

#include "compiler/ir/ir_builder.h"
#include "vulkan/runtime/vk_debug_utils.h"

#define UNWRITTEN UINT32_MAX

/* Of a colour the attachment's, of depth and its like itself. */
static uint32_t target_of(const struct vk_rendering_formats *formats, uint32_t location)
{
    if (location < IR_LOCATION_VAR0)
        return location;
    for (uint32_t i = 0; i < formats->color_count; i++) {
        if (formats->locations[i] == location - IR_LOCATION_VAR0)
            return IR_LOCATION_VAR0 + i;
    }
    return UNWRITTEN;
}

/* ---- alpha to coverage ---- */

/* The store that has the alpha of location 0, and that of the mask; NULL: there is none. Outputs are stored once, at the
 * end. */
static struct ir_instr *find_store(struct ir_shader *ir, uint32_t location, uint32_t comp)
{
    ir_foreach_block (ir, block) {
        ir_foreach_instr (block, instr) {
            if (instr->op != IR_OP_store_output || ir_imm(instr, IR_IMM_LOCATION) != location)
                continue;
            const uint32_t first = ir_imm(instr, IR_IMM_COMP);
            if (!ir_imm(instr, IR_IMM_DUAL_INDEX) && first <= comp && comp < first + ir_src(instr, 0)->comps)
                return instr;
        }
    }
    return NULL;
}

static void list_mask(struct ir_shader *ir)
{
    struct ir_io_var *outputs = ir_alloc(ir, (ir->num_outputs + 1) * sizeof(*outputs));
    for (uint32_t i = 0; i < ir->num_outputs; i++) {
        if (ir->outputs[i].location == IR_LOCATION_sample_mask)
            return;
        outputs[i] = ir->outputs[i];
    }
    outputs[ir->num_outputs] = (struct ir_io_var){
        .location = IR_LOCATION_sample_mask, .num_comps = 1, .bits = 32, .num_locations = 1, .base = IR_BASE_uint};
    ir->outputs = outputs;
    ir->num_outputs++;
}

static bool comes_after(const struct ir_instr *instr, const struct ir_instr *other)
{
    ir_foreach_instr (instr->block, at) {
        if (at == instr || at == other)
            return at == other;
    }
    return false;
}

/* As many samples as the alpha has of them, the first ones, beside what the shader says of them itself. */
static void cover_by_alpha(struct ir_shader *ir, uint32_t samples)
{
    struct ir_instr *color = find_store(ir, IR_LOCATION_VAR0, 3), *own = find_store(ir, IR_LOCATION_sample_mask, 0);
    if (!color || ir_src(color, 0)->bits != 32 || (own && own->block != color->block))
        return;
    struct ir_builder b = ir_builder_after(ir, own && comes_after(own, color) ? own : color);
    struct ir_value *one = ir_const(&b, 32, 1);
    struct ir_value *alpha = ir_extract(&b, ir_src(color, 0), 3 - ir_imm(color, IR_IMM_COMP));
    struct ir_value *scaled = ir_fmul(&b, ir_fsat(&b, alpha), ir_const_f(&b, 32, samples));
    struct ir_value *count = ir_f2u(&b, 32, ir_fadd(&b, scaled, ir_const_f(&b, 32, 0.5)));
    struct ir_value *mask = ir_isub(&b, ir_ishl(&b, one, count), one);
    if (own)
        mask = ir_iand(&b, mask, ir_src(own, 0));
    ir_store_output(&b, mask, ir_const(&b, 32, 0), IR_LOCATION_sample_mask, 0, 0);
    if (own)
        ir_remove(own);
    list_mask(ir);
}

/* ---- names ---- */

static void rename_stores(struct ir_shader *ir, const struct vk_rendering_formats *formats)
{
    ir_foreach_block (ir, block) {
        ir_foreach_instr (block, instr) {
            if (instr->op != IR_OP_store_output)
                continue;
            uint32_t target = target_of(formats, ir_imm(instr, IR_IMM_LOCATION));
            if (target == UNWRITTEN)
                ir_remove(instr);
            else
                ir_set_imm(instr, IR_IMM_LOCATION, target);
        }
    }
}

/* Elements of an array go to attachments that need not be neighbours. */
static void rename_list(struct ir_shader *ir, const struct vk_rendering_formats *formats)
{
    uint32_t count = 0, used = 0;
    for (uint32_t i = 0; i < ir->num_outputs; i++)
        count += ir->outputs[i].num_locations ? ir->outputs[i].num_locations : 1;
    if (!count)
        return;
    struct ir_io_var *renamed = ir_alloc(ir, count * sizeof(*renamed));
    for (uint32_t i = 0; i < ir->num_outputs; i++) {
        struct ir_io_var output = ir->outputs[i];
        const uint32_t first = output.location, elements = output.num_locations ? output.num_locations : 1;
        output.num_locations = 1;
        for (uint32_t n = 0; n < elements; n++) {
            uint32_t target = target_of(formats, first + n);
            output.location = (uint16_t)target;
            if (target != UNWRITTEN)
                renamed[used++] = output;
        }
    }
    ir->outputs = renamed;
    ir->num_outputs = used;
}

VkResult vk_outputs_to_attachments(struct vk_device *device, struct ir_shader *ir,
                                   const struct vk_rendering_formats *formats)
{
    struct ir_failure failure;
    VkResult result = VK_SUCCESS;
    if (ir_guard(ir, &failure)) {
        vk_device_error(device, NULL, "a shader's outputs cannot be renamed: %s", failure.text);
        result = failure.out_of_memory ? VK_ERROR_OUT_OF_HOST_MEMORY : VK_ERROR_UNKNOWN;
    } else {
        if (formats->covered_samples)
            cover_by_alpha(ir, formats->covered_samples);
        rename_stores(ir, formats);
        rename_list(ir, formats);
    }
    ir->failure = NULL;
    return result;
}
