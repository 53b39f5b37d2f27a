/* Reads the words of a module: header, instructions, names, entry points, the extent of functions and their blocks.
 * What types, constants and decorations mean is in files of their own. */
#include "compiler/spirv/sp.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "compiler/spirv/sp_capabilities.h"

_Noreturn void sp_fail(struct sp *s, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(s->failure.text, sizeof(s->failure.text), format, args);
    va_end(args);
    longjmp(s->failure.jump, 1);
}

void *sp_alloc(struct sp *s, size_t count, size_t size_B)
{
    void *memory = arena_zalloc_array(&s->arena, count ? count : 1, size_B);
    if (!memory) {
        s->failure.out_of_memory = true;
        sp_fail(s, "out of memory");
    }
    return memory;
}

void sp_spend(struct sp *s, uint64_t scalars)
{
    if (scalars > s->budget)
        sp_fail(s, "the shader grows beyond all bounds");
    s->budget -= (uint32_t)scalars;
}

const struct sp_op_info *sp_op_info_of(uint32_t opcode)
{
    uint32_t low = 0, high = SP_NUM_OPS;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (sp_op_infos[middle].opcode < opcode)
            low = middle + 1;
        else
            high = middle;
    }
    return low < SP_NUM_OPS && sp_op_infos[low].opcode == opcode ? &sp_op_infos[low] : NULL;
}

void sp_read_instr(struct sp *s, uint32_t at, struct sp_instr *out)
{
    s->at = at;
    uint32_t word = s->words[at], length = word >> 16, opcode = word & 0xffff;
    if (length == 0 || length > s->count - at)
        sp_fail(s, "instruction of %u words, %u are left", length, s->count - at);
    const struct sp_op_info *info = sp_op_info_of(opcode);
    if (!info)
        sp_fail(s, "unknown opcode %u", opcode);
    *out = (struct sp_instr){.info = info, .opcode = opcode, .at = at, .next = at + length};
    uint32_t i = 1;
    const char *layout = info->layout;
    if (*layout == 't' && i < length)
        out->type = s->words[at + i++], layout++;
    if (*layout == 'r' && i < length)
        out->id = s->words[at + i++];
    out->ops = &s->words[at + i];
    out->count = length - i;
}

uint32_t sp_op(struct sp *s, const struct sp_instr *in, uint32_t i)
{
    if (i >= in->count)
        sp_fail(s, "%s has too few operands", in->info->name);
    return in->ops[i];
}

static const char *sp_string(struct sp *s, const struct sp_instr *in, uint32_t i, uint32_t *words_out)
{
    uint32_t words = 0;
    while (i + words < in->count) {
        uint32_t word = in->ops[i + words++];
        if (!(word & 0xff) || !(word & 0xff00) || !(word & 0xff0000) || !(word & 0xff000000)) {
            char *text = sp_alloc(s, words * 4 + 1, 1);
            for (uint32_t k = 0; k < words * 4; k++)
                text[k] = (char)(in->ops[i + k / 4] >> 8 * (k % 4));
            if (words_out)
                *words_out = words;
            return text;
        }
    }
    sp_fail(s, "%s has a string without an end", in->info->name);
}

struct sp_id *sp_id(struct sp *s, uint32_t id)
{
    if (id == 0 || id >= s->bound)
        sp_fail(s, "id %u is beyond the bound of %u", id, s->bound);
    if (!s->ids[id])
        s->ids[id] = sp_new(s, struct sp_id);
    return s->ids[id];
}

struct sp_id *sp_define(struct sp *s, uint32_t id, enum sp_what what)
{
    struct sp_id *def = sp_id(s, id);
    if (def->what != SP_UNKNOWN)
        sp_fail(s, "id %u is defined twice", id);
    def->what = (uint8_t)what;
    def->at = s->at;
    return def;
}

const char *sp_id_name(struct sp *s, uint32_t id)
{
    return id < s->bound && s->ids[id] ? s->ids[id]->name : NULL;
}

/* --- handlers of the module's head --- */

void sp_do_nothing(struct sp *s, const struct sp_instr *in)
{
}

void sp_do_capability(struct sp *s, const struct sp_instr *in)
{
    uint32_t capability = sp_op(s, in, 0);
    bool known = false;
    for (uint32_t i = 0; i < ARRAY_SIZE(sp_capabilities) && !known; i++)
        known = sp_capabilities[i] == capability;
    for (uint32_t i = 0; i < s->options->num_refused_capabilities; i++)
        known &= s->options->refused_capabilities[i] != capability;
    if (!known)
        sp_fail(s, "capability %u (%s) is not supported", capability, sp_name_of_Capability(capability));
    if (capability == SpvCapabilityWorkgroupMemoryExplicitLayoutKHR)
        s->explicit_shared = true;
    if (capability == SpvCapabilityImageGatherBiasLodAMD)
        s->gathers_at_levels = true;
}

void sp_do_ext_inst_import(struct sp *s, const struct sp_instr *in)
{
    static const struct {
        const char *name;
        enum sp_ext_set set;
    } sets[] = {
        {"GLSL.std.450", SP_SET_GLSL},
        {"SPV_AMD_shader_ballot", SP_SET_AMD_BALLOT},
        {"SPV_AMD_shader_trinary_minmax", SP_SET_AMD_TRINARY},
        {"SPV_AMD_gcn_shader", SP_SET_AMD_GCN},
        {"SPV_AMD_shader_explicit_vertex_parameter", SP_SET_AMD_VERTEX},
    };
    const char *name = sp_string(s, in, 0, NULL);
    enum sp_ext_set set = strncmp(name, "NonSemantic.", 12) == 0 ? SP_SET_NONSEMANTIC : SP_SET_NONE;
    for (uint32_t i = 0; i < ARRAY_SIZE(sets); i++)
        if (strcmp(name, sets[i].name) == 0)
            set = sets[i].set;
    if (set == SP_SET_NONE)
        sp_fail(s, "extended instruction set '%.80s' is not supported", name);
    sp_define(s, in->id, SP_EXT_SET)->set = set;
}

void sp_do_memory_model(struct sp *s, const struct sp_instr *in)
{
    s->addressing = sp_op(s, in, 0);
    s->memory_model = sp_op(s, in, 1);
    if (s->addressing != SpvAddressingModelLogical && s->addressing != SpvAddressingModelPhysicalStorageBuffer64)
        sp_fail(s, "addressing model %u is not one of Vulkan's", s->addressing);
    if (s->memory_model != SpvMemoryModelGLSL450 && s->memory_model != SpvMemoryModelVulkan &&
        s->memory_model != SpvMemoryModelSimple)
        sp_fail(s, "memory model %u is not one of Vulkan's", s->memory_model);
}

void sp_do_entry_point(struct sp *s, const struct sp_instr *in)
{
    static const uint32_t models[] = {
        [IR_STAGE_vertex] = SpvExecutionModelVertex,
        [IR_STAGE_tess_control] = SpvExecutionModelTessellationControl,
        [IR_STAGE_tess_eval] = SpvExecutionModelTessellationEvaluation,
        [IR_STAGE_geometry] = SpvExecutionModelGeometry,
        [IR_STAGE_fragment] = SpvExecutionModelFragment,
        [IR_STAGE_compute] = SpvExecutionModelGLCompute,
        [IR_STAGE_task] = SpvExecutionModelTaskEXT,
        [IR_STAGE_mesh] = SpvExecutionModelMeshEXT,
        [IR_STAGE_raygen] = SpvExecutionModelRayGenerationKHR,
        [IR_STAGE_intersection] = SpvExecutionModelIntersectionKHR,
        [IR_STAGE_any_hit] = SpvExecutionModelAnyHitKHR,
        [IR_STAGE_closest_hit] = SpvExecutionModelClosestHitKHR,
        [IR_STAGE_miss] = SpvExecutionModelMissKHR,
        [IR_STAGE_callable] = SpvExecutionModelCallableKHR,
    };
    uint32_t words;
    const char *name = sp_string(s, in, 2, &words);
    if (sp_op(s, in, 0) != models[s->options->stage] || s->entry_id)
        return;
    if (strcmp(name, s->options->entry ? s->options->entry : "main") != 0)
        return;
    s->execution_model = models[s->options->stage];
    s->entry_id = sp_op(s, in, 1);
    s->interface = in->ops + 2 + words;
    s->num_interface = in->count - 2 - words;
}

void sp_do_string(struct sp *s, const struct sp_instr *in)
{
    sp_define(s, in->id, SP_STRING);
}

void sp_do_name(struct sp *s, const struct sp_instr *in)
{
    sp_id(s, sp_op(s, in, 0))->name = sp_string(s, in, 1, NULL);
}

/* --- functions --- */

void sp_do_function(struct sp *s, const struct sp_instr *in)
{
    if (s->num_functions == s->max_functions) {
        uint32_t max = s->max_functions ? s->max_functions * 2 : 16;
        struct sp_function *grown = sp_new_array(s, struct sp_function, max);
        if (s->num_functions)
            memcpy(grown, s->functions, s->num_functions * sizeof(*grown));
        s->functions = grown;
        s->max_functions = max;
    }
    struct sp_function *function = &s->functions[s->num_functions++];
    *function = (struct sp_function){.id = in->id, .at = in->at};
    function->result = sp_type(s, in->type);
    function->type = sp_type(s, sp_op(s, in, 1));
    if (function->type->kind != SP_FUNCTION)
        sp_fail(s, "the type of a function is none");
    function->num_params = 0;
    function->params = sp_new_array(s, uint32_t, function->type->count);
    sp_define(s, in->id, SP_FUNCTION_ID);
    s->parsing = function;
}

void sp_do_function_parameter(struct sp *s, const struct sp_instr *in)
{
    struct sp_function *function = s->parsing;
    if (!function || function->num_blocks || function->num_params == function->type->count)
        sp_fail(s, "a parameter that the function's type does not have");
    sp_type(s, in->type);
    sp_id(s, in->id)->at = in->at; /* a switch may ask for its type before a call gives it a value */
    function->params[function->num_params++] = in->id;
}

static struct sp_block *add_block(struct sp *s, struct sp_function *function)
{
    uint32_t count = function->num_blocks;
    if (is_power_of_two(count) || count == 0) { /* full at every power of two */
        struct sp_block *grown = sp_new_array(s, struct sp_block, count ? count * 2 : 1);
        if (count)
            memcpy(grown, function->blocks, count * sizeof(*grown));
        function->blocks = grown;
    }
    return &function->blocks[function->num_blocks++];
}

void sp_do_label(struct sp *s, const struct sp_instr *in)
{
    struct sp_function *function = s->parsing;
    if (!function)
        sp_fail(s, "a label outside functions");
    struct sp_block *block = add_block(s, function);
    *block = (struct sp_block){.id = in->id, .at = in->at, .first = in->next};
    sp_define(s, in->id, SP_LABEL);
}

void sp_do_function_end(struct sp *s, const struct sp_instr *in)
{
    struct sp_function *function = s->parsing;
    if (!function)
        sp_fail(s, "the end of a function that has no beginning");
    if (function->num_params != function->type->count)
        sp_fail(s, "the function's type has %u parameters, it has %u", function->type->count, function->num_params);
    if (function->num_blocks && !function->blocks[function->num_blocks - 1].end)
        sp_fail(s, "the last block has no end");
    function->end = in->at;
    s->parsing = NULL;
}

static bool is_terminator(uint32_t opcode)
{
    switch (opcode) {
    case SpvOpBranch:
    case SpvOpBranchConditional:
    case SpvOpSwitch:
    case SpvOpReturn:
    case SpvOpReturnValue:
    case SpvOpKill:
    case SpvOpTerminateInvocation:
    case SpvOpUnreachable:
    case SpvOpEmitMeshTasksEXT:
    case SpvOpIgnoreIntersectionKHR:
    case SpvOpTerminateRayKHR:
        return true;
    default:
        return false;
    }
}

/* An instruction of a function's body: only its place is noted now. */
static void note_body(struct sp *s, const struct sp_instr *in)
{
    struct sp_function *function = s->parsing;
    struct sp_block *block = function->num_blocks ? &function->blocks[function->num_blocks - 1] : NULL;
    if (in->info->phase == SP_PHASE_ignored)
        return;
    if (!block || block->end)
        sp_fail(s, "%s stands in no block", in->info->name);
    if (in->opcode == SpvOpLoopMerge || in->opcode == SpvOpSelectionMerge) {
        if (block->merge)
            sp_fail(s, "the block has two merge instructions");
        block->merge = sp_op(s, in, 0);
        block->loop = in->opcode == SpvOpLoopMerge;
        block->cont = block->loop ? sp_op(s, in, 1) : 0;
        block->control = sp_op(s, in, block->loop ? 2 : 1);
    }
    if (is_terminator(in->opcode))
        block->end = in->at;
    if (in->opcode == SpvOpFunctionCall)
        sp_note_call(s, function, sp_op(s, in, 0));
    if (in->id)
        sp_id(s, in->id)->at = in->at;
}

static void parse_instr(struct sp *s, const struct sp_instr *in)
{
    sp_check_operands(s, in);
    enum sp_phase phase = in->info->phase;
    bool structural =
        in->opcode == SpvOpLabel || in->opcode == SpvOpFunctionParameter || in->opcode == SpvOpFunctionEnd;
    if (s->parsing && !structural) {
        if (phase == SP_PHASE_module)
            sp_fail(s, "%s does not belong into a function", in->info->name);
        /* Instructions that nothing translates are refused where they are reached. */
        note_body(s, in);
        return;
    }
    if (in->opcode == SpvOpLabel && s->parsing && s->parsing->num_blocks &&
        !s->parsing->blocks[s->parsing->num_blocks - 1].end)
        sp_fail(s, "a block begins before the one above it has ended");
    if (phase == SP_PHASE_none)
        sp_fail(s, "%s is not supported", in->info->name);
    if (phase == SP_PHASE_code)
        sp_fail(s, "%s stands outside functions", in->info->name);
    if (phase != SP_PHASE_ignored)
        in->info->handler(s, in);
}

void sp_parse_module(struct sp *s)
{
    s->at = 0;
    if (s->count < 5)
        sp_fail(s, "%u words are no module", s->count);
    if (s->words[0] != SpvMagicNumber)
        sp_fail(s, s->words[0] == 0x03022307 ? "the module has the other byte order" : "this is no SPIR-V");
    s->version = s->words[1];
    if ((s->version & 0xff0000ff) || s->version < 0x10000 || s->version > 0x10600)
        sp_fail(s, "SPIR-V version %u.%u is not supported", s->version >> 16 & 0xff, s->version >> 8 & 0xff);
    s->bound = s->words[3];
    if (s->bound > SP_MAX_BOUND)
        sp_fail(s, "a bound of %u ids is too large", s->bound);
    if (s->words[4] != 0)
        sp_fail(s, "schema %u is unknown", s->words[4]);
    s->ids = sp_new_array(s, struct sp_id *, s->bound);
    struct sp_instr in;
    for (uint32_t at = 5; at < s->count; at = in.next) {
        sp_read_instr(s, at, &in);
        parse_instr(s, &in);
    }
    s->at = s->count;
    if (s->parsing)
        sp_fail(s, "the last function has no end");
    if (!s->entry_id)
        sp_fail(s, "no entry point '%s' of this stage", s->options->entry ? s->options->entry : "main");
    for (uint32_t i = 0; i < s->num_functions; i++) {
        sp_id(s, s->functions[i].id)->function = &s->functions[i];
        if (s->functions[i].id == s->entry_id)
            s->entry = &s->functions[i];
    }
    if (!s->entry)
        sp_fail(s, "the entry point's function is not there");
    if (s->entry->num_params)
        sp_fail(s, "the entry point has parameters");
}
