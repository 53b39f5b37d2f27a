// A product of matrices of signed bytes. Four of a row of the left one, and of a column of the right one, are a word.
// An invocation has a column; those of a subgroup have a row together, of which each loads a word and gives it to the others.
#version 450
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_EXT_shader_explicit_arithmetic_types_int8 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int32 : require

layout(local_size_x = 128) in; // the largest subgroup: none has lanes without an invocation, which could give nothing
layout(set = 0, binding = 0) readonly buffer Left { int32_t left[]; };
layout(set = 0, binding = 1) readonly buffer Right { int32_t right[]; };
layout(set = 0, binding = 2) writeonly buffer Product { int32_t product[]; };
layout(push_constant) uniform Push { uint size; };

void main()
{
    const uint column = gl_GlobalInvocationID.x, row = gl_WorkGroupID.y, words = size / 4;
    int32_t sum = 0;
    for (uint first = 0; first < words; first += gl_SubgroupSize) {
        const int32_t mine = left[row * words + first + gl_SubgroupInvocationID];
        for (uint k = 0; k < gl_SubgroupSize; k++) {
            const i8vec4 a = unpack8(subgroupShuffle(mine, k)), b = unpack8(right[(first + k) * size + column]);
            sum += int32_t(a.x) * int32_t(b.x) + int32_t(a.y) * int32_t(b.y) + int32_t(a.z) * int32_t(b.z) +
                   int32_t(a.w) * int32_t(b.w);
        }
    }
    product[row * size + column] = sum;
}
