/* The programs of shaders/trace.* by their names; for trace.c alone. */
#ifndef TESTS_VULKAN_TRACE_PROGRAMS_H
#define TESTS_VULKAN_TRACE_PROGRAMS_H

#include "cases/rays/trace.h"

#include "shaders/trace_rahit_all.h"
#include "shaders/trace_rahit_atomic.h"
#include "shaders/trace_rahit_box_all.h"
#include "shaders/trace_rahit_box_ignore.h"
#include "shaders/trace_rahit_corners.h"
#include "shaders/trace_rahit_count.h"
#include "shaders/trace_rahit_ignore.h"
#include "shaders/trace_rahit_terminate.h"
#include "shaders/trace_rcall_add.h"
#include "shaders/trace_rcall_big.h"
#include "shaders/trace_rcall_nested.h"
#include "shaders/trace_rcall_turn.h"
#include "shaders/trace_rchit_all.h"
#include "shaders/trace_rchit_big.h"
#include "shaders/trace_rchit_box.h"
#include "shaders/trace_rchit_call.h"
#include "shaders/trace_rchit_corners.h"
#include "shaders/trace_rchit_deep.h"
#include "shaders/trace_rchit_fixed.h"
#include "shaders/trace_rchit_flat.h"
#include "shaders/trace_rchit_indexed.h"
#include "shaders/trace_rchit_mask.h"
#include "shaders/trace_rchit_query.h"
#include "shaders/trace_rchit_shadow.h"
#include "shaders/trace_rchit_small.h"
#include "shaders/trace_rchit_spaces.h"
#include "shaders/trace_rgen_big.h"
#include "shaders/trace_rgen_branch.h"
#include "shaders/trace_rgen_call.h"
#include "shaders/trace_rgen_calls.h"
#include "shaders/trace_rgen_fixed.h"
#include "shaders/trace_rgen_ids.h"
#include "shaders/trace_rgen_live.h"
#include "shaders/trace_rgen_loop.h"
#include "shaders/trace_rgen_query.h"
#include "shaders/trace_rgen_records.h"
#include "shaders/trace_rgen_scenes.h"
#include "shaders/trace_rgen_small.h"
#include "shaders/trace_rgen_trace.h"
#include "shaders/trace_rgen_two.h"
#include "shaders/trace_rint_kinds.h"
#include "shaders/trace_rint_plane.h"
#include "shaders/trace_rint_some.h"
#include "shaders/trace_rint_three.h"
#include "shaders/trace_rint_told.h"
#include "shaders/trace_rint_two.h"
#include "shaders/trace_rmiss_all.h"
#include "shaders/trace_rmiss_big.h"
#include "shaders/trace_rmiss_call.h"
#include "shaders/trace_rmiss_deep.h"
#include "shaders/trace_rmiss_flat.h"
#include "shaders/trace_rmiss_other.h"
#include "shaders/trace_rmiss_small.h"

struct trace_code {
    VkShaderStageFlagBits stage;
    struct vt_spirv code;
};

#define CODE(name) {name, sizeof(name)}

static const struct trace_code trace_codes[TRACE_PROGRAMS] = {
    [GENERATE_IDS] = {VK_SHADER_STAGE_RAYGEN_BIT_KHR, CODE(trace_rgen_ids)},
    [GENERATE_TRACE] = {VK_SHADER_STAGE_RAYGEN_BIT_KHR, CODE(trace_rgen_trace)},
    [GENERATE_LIVE] = {VK_SHADER_STAGE_RAYGEN_BIT_KHR, CODE(trace_rgen_live)},
    [GENERATE_LOOP] = {VK_SHADER_STAGE_RAYGEN_BIT_KHR, CODE(trace_rgen_loop)},
    [GENERATE_BRANCH] = {VK_SHADER_STAGE_RAYGEN_BIT_KHR, CODE(trace_rgen_branch)},
    [GENERATE_TWO] = {VK_SHADER_STAGE_RAYGEN_BIT_KHR, CODE(trace_rgen_two)},
    [GENERATE_BIG] = {VK_SHADER_STAGE_RAYGEN_BIT_KHR, CODE(trace_rgen_big)},
    [GENERATE_SMALL] = {VK_SHADER_STAGE_RAYGEN_BIT_KHR, CODE(trace_rgen_small)},
    [GENERATE_CALL] = {VK_SHADER_STAGE_RAYGEN_BIT_KHR, CODE(trace_rgen_call)},
    [GENERATE_CALLS] = {VK_SHADER_STAGE_RAYGEN_BIT_KHR, CODE(trace_rgen_calls)},
    [GENERATE_SCENES] = {VK_SHADER_STAGE_RAYGEN_BIT_KHR, CODE(trace_rgen_scenes)},
    [GENERATE_RECORDS] = {VK_SHADER_STAGE_RAYGEN_BIT_KHR, CODE(trace_rgen_records)},
    [GENERATE_FIXED] = {VK_SHADER_STAGE_RAYGEN_BIT_KHR, CODE(trace_rgen_fixed)},
    [GENERATE_QUERY] = {VK_SHADER_STAGE_RAYGEN_BIT_KHR, CODE(trace_rgen_query)},
    [MISS_FLAT] = {VK_SHADER_STAGE_MISS_BIT_KHR, CODE(trace_rmiss_flat)},
    [MISS_ALL] = {VK_SHADER_STAGE_MISS_BIT_KHR, CODE(trace_rmiss_all)},
    [MISS_OTHER] = {VK_SHADER_STAGE_MISS_BIT_KHR, CODE(trace_rmiss_other)},
    [MISS_BIG] = {VK_SHADER_STAGE_MISS_BIT_KHR, CODE(trace_rmiss_big)},
    [MISS_SMALL] = {VK_SHADER_STAGE_MISS_BIT_KHR, CODE(trace_rmiss_small)},
    [MISS_CALL] = {VK_SHADER_STAGE_MISS_BIT_KHR, CODE(trace_rmiss_call)},
    [MISS_DEEP] = {VK_SHADER_STAGE_MISS_BIT_KHR, CODE(trace_rmiss_deep)},
    [HIT_FLAT] = {VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR, CODE(trace_rchit_flat)},
    [HIT_ALL] = {VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR, CODE(trace_rchit_all)},
    [HIT_SPACES] = {VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR, CODE(trace_rchit_spaces)},
    [HIT_BIG] = {VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR, CODE(trace_rchit_big)},
    [HIT_SMALL] = {VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR, CODE(trace_rchit_small)},
    [HIT_BOX] = {VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR, CODE(trace_rchit_box)},
    [HIT_DEEP] = {VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR, CODE(trace_rchit_deep)},
    [HIT_SHADOW] = {VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR, CODE(trace_rchit_shadow)},
    [HIT_CALL] = {VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR, CODE(trace_rchit_call)},
    [HIT_INDEXED] = {VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR, CODE(trace_rchit_indexed)},
    [HIT_FIXED] = {VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR, CODE(trace_rchit_fixed)},
    [HIT_QUERY] = {VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR, CODE(trace_rchit_query)},
    [HIT_MASK] = {VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR, CODE(trace_rchit_mask)},
    [HIT_CORNERS] = {VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR, CODE(trace_rchit_corners)},
    [ANY_IGNORE] = {VK_SHADER_STAGE_ANY_HIT_BIT_KHR, CODE(trace_rahit_ignore)},
    [ANY_TERMINATE] = {VK_SHADER_STAGE_ANY_HIT_BIT_KHR, CODE(trace_rahit_terminate)},
    [ANY_COUNT] = {VK_SHADER_STAGE_ANY_HIT_BIT_KHR, CODE(trace_rahit_count)},
    [ANY_ATOMIC] = {VK_SHADER_STAGE_ANY_HIT_BIT_KHR, CODE(trace_rahit_atomic)},
    [ANY_ALL] = {VK_SHADER_STAGE_ANY_HIT_BIT_KHR, CODE(trace_rahit_all)},
    [ANY_CORNERS] = {VK_SHADER_STAGE_ANY_HIT_BIT_KHR, CODE(trace_rahit_corners)},
    [ANY_BOX_IGNORE] = {VK_SHADER_STAGE_ANY_HIT_BIT_KHR, CODE(trace_rahit_box_ignore)},
    [ANY_BOX_ALL] = {VK_SHADER_STAGE_ANY_HIT_BIT_KHR, CODE(trace_rahit_box_all)},
    [BOX_PLANE] = {VK_SHADER_STAGE_INTERSECTION_BIT_KHR, CODE(trace_rint_plane)},
    [BOX_SOME] = {VK_SHADER_STAGE_INTERSECTION_BIT_KHR, CODE(trace_rint_some)},
    [BOX_THREE] = {VK_SHADER_STAGE_INTERSECTION_BIT_KHR, CODE(trace_rint_three)},
    [BOX_KINDS] = {VK_SHADER_STAGE_INTERSECTION_BIT_KHR, CODE(trace_rint_kinds)},
    [BOX_TWO] = {VK_SHADER_STAGE_INTERSECTION_BIT_KHR, CODE(trace_rint_two)},
    [BOX_TOLD] = {VK_SHADER_STAGE_INTERSECTION_BIT_KHR, CODE(trace_rint_told)},
    [CALL_ADD] = {VK_SHADER_STAGE_CALLABLE_BIT_KHR, CODE(trace_rcall_add)},
    [CALL_TURN] = {VK_SHADER_STAGE_CALLABLE_BIT_KHR, CODE(trace_rcall_turn)},
    [CALL_NESTED] = {VK_SHADER_STAGE_CALLABLE_BIT_KHR, CODE(trace_rcall_nested)},
    [CALL_BIG] = {VK_SHADER_STAGE_CALLABLE_BIT_KHR, CODE(trace_rcall_big)},
};

#undef CODE

#endif
