#version 460
#extension GL_EXT_demote_to_helper_invocation : require
#extension GL_EXT_nonuniform_qualifier : require
#extension GL_EXT_multiview : require
// Everything that only fragments have.
layout(location = 0) in vec4 color;
layout(location = 1) flat in uvec2 flags;
layout(location = 2) noperspective centroid in vec3 straight;
layout(location = 3) in Block { vec2 uv; mat2 turn; layout(location = 7, component = 2) float deep; } block;
layout(location = 8) sample in float per_sample[2];
layout(set = 0, binding = 0) uniform sampler2D textures[4];
layout(set = 0, binding = 1) uniform sampler2DArrayShadow shadow;
layout(set = 0, binding = 2) uniform texture3D volume;
layout(set = 0, binding = 3) uniform sampler filtering;
layout(set = 0, binding = 4) uniform samplerCubeArray cubes;
layout(set = 0, binding = 5, rgba8) uniform coherent image2D picture;
layout(set = 0, binding = 6, r32ui) uniform uimage2DArray counters;
layout(set = 0, binding = 7) uniform usampler2DMS many;
layout(set = 0, binding = 8) uniform textureBuffer words;
layout(input_attachment_index = 0, set = 0, binding = 9) uniform subpassInput before;
layout(location = 0) out vec4 result;
layout(location = 1) out uvec2 more;
layout(depth_greater) out float gl_FragDepth;
float twice(float x) { if (x < 0.0) discard; return x * 2.0; }
void main()
{
    vec4 sum = color * block.uv.x + vec4(straight, block.deep) + per_sample[1] + block.turn[1].xyxy;
    uint which = flags.x % 4u;
    sum += texture(textures[nonuniformEXT(which)], block.uv);
    sum += texture(textures[1], block.uv, 0.5) + textureLod(textures[2], block.uv, 2.0) + textureGrad(textures[3], block.uv, block.uv.yx, vec2(0.1));
    sum += textureProj(textures[0], vec3(block.uv, 2.0)) + textureOffset(textures[0], block.uv, ivec2(1, -2));
    sum += textureGather(textures[1], block.uv, 2) + textureGatherOffsets(textures[1], block.uv, ivec2[](ivec2(0), ivec2(1), ivec2(2), ivec2(3)), 1);
    sum.x += texture(shadow, vec4(block.uv, 1.0, 0.5)); sum += textureGather(shadow, vec3(block.uv, 0.0), 0.25);
    sum += texture(sampler3D(volume, filtering), straight) + texture(cubes, vec4(straight, 1.0));
    sum += texelFetch(textures[0], ivec2(gl_FragCoord.xy), 1) + vec4(texelFetch(many, ivec2(3, 4), 2)) + texelFetch(words, 7);
    sum.xy += textureQueryLod(textures[0], block.uv) + vec2(textureSize(textures[1], 1)) + float(textureQueryLevels(textures[2])) + float(textureSamples(many));
    sum += imageLoad(picture, ivec2(1, 2)) + float(imageSize(counters).z);
    imageStore(picture, ivec2(flags), sum);
    uint old = imageAtomicAdd(counters, ivec3(1, 2, 3), 4u) + imageAtomicCompSwap(counters, ivec3(0), 1u, 2u);
    sum += subpassLoad(before);
    sum += dFdx(color) + dFdyFine(color) + fwidthCoarse(color);
    sum += interpolateAtCentroid(color) + interpolateAtSample(color, 1) + interpolateAtOffset(color, vec2(0.25));
    if (sum.w < 0.0) demote;
    if (gl_FrontFacing && !helperInvocationEXT()) sum.x += twice(sum.y);
    for (int i = 0; i < 3; i++) { if (sum.x > float(i)) sum.y = twice(sum.y - 1.0); if (sum.y > 9.0) break; }
    result = sum * float(gl_SampleID) + gl_PointCoord.xyxy + vec4(gl_SamplePosition, gl_Layer, gl_ViewIndex);
    more = uvec2(old, gl_SampleMaskIn[0]) + uint(gl_PrimitiveID);
    gl_FragDepth = gl_FragCoord.z + 0.1;
    gl_SampleMask[0] = 3;
}
