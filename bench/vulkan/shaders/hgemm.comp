// A product of matrices of halves. Two of a row of the left one, and of a column of the right one, are a word.
// An invocation has a column; those of a subgroup have a row together, of which each loads a word and gives it to the others.
#version 450
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require

layout(local_size_x = 128) in; // the largest subgroup: none has lanes without an invocation, which could give nothing
layout(set = 0, binding = 0) readonly buffer Left { uint left[]; };
layout(set = 0, binding = 1) readonly buffer Right { uint right[]; };
layout(set = 0, binding = 2) writeonly buffer Product { float product[]; };
layout(push_constant) uniform Push { uint size; };

void main()
{
    const uint column = gl_GlobalInvocationID.x, row = gl_WorkGroupID.y, words = size / 2;
    f16vec2 sum = f16vec2(0);
    for (uint first = 0; first < words; first += gl_SubgroupSize) {
        const uint mine = left[row * words + first + gl_SubgroupInvocationID];
        for (uint k = 0; k < gl_SubgroupSize; k++)
            sum = fma(unpackFloat2x16(subgroupShuffle(mine, k)), unpackFloat2x16(right[(first + k) * size + column]), sum);
    }
    product[row * size + column] = float(sum.x + sum.y);
}
