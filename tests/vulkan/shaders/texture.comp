// One look into a texture for each invocation. KIND is the sampler's type, given by the build; OP the function.
#version 460
layout(local_size_x = 64) in;
layout(constant_id = 0) const int OP = 0;
layout(set = 0, binding = 0) readonly buffer In { vec4 a[]; };
layout(set = 0, binding = 1) writeonly buffer Out { vec4 o[]; };
#if KIND == 0
layout(set = 0, binding = 2) uniform sampler2D tex;
#elif KIND == 1
layout(set = 0, binding = 2) uniform sampler2DArray tex;
#elif KIND == 2
layout(set = 0, binding = 2) uniform sampler3D tex;
#elif KIND == 3
layout(set = 0, binding = 2) uniform samplerCube tex;
#elif KIND == 4
layout(set = 0, binding = 2) uniform sampler2DShadow tex;
#elif KIND == 5
layout(set = 0, binding = 2) uniform usampler2D tex;
#elif KIND == 6
layout(set = 0, binding = 2) uniform sampler1D tex;
#endif

void main()
{
    uint i = gl_GlobalInvocationID.x;
    vec4 c = a[i * 3], dx = a[i * 3 + 1], dy = a[i * 3 + 2], r = vec4(0);
#if KIND == 0
    switch (OP) {
    case 0: r = textureLod(tex, c.xy, c.w); break;
    case 1: r = textureGrad(tex, c.xy, dx.xy, dy.xy); break;
    case 2: r = textureLodOffset(tex, c.xy, c.w, ivec2(3, -2)); break;
    case 3: r = textureGather(tex, c.xy, 1); break;
    case 4: r = texelFetch(tex, ivec2(c.xy), int(c.w)); break;
    case 5: r = vec4(textureSize(tex, int(c.w)), textureQueryLevels(tex), 0); break;
    case 6: r = textureGatherOffset(tex, c.xy, ivec2(3, -2), 2); break;
    }
#elif KIND == 1 || KIND == 2
    switch (OP) {
    case 0: r = textureLod(tex, c.xyz, c.w); break;
    case 4: r = texelFetch(tex, ivec3(c.xyz), int(c.w)); break;
    case 5: r = vec4(textureSize(tex, int(c.w)), textureQueryLevels(tex)); break;
    }
#elif KIND == 3
    r = textureLod(tex, c.xyz, c.w);
#elif KIND == 4
    switch (OP) {
    case 0: r = vec4(textureLod(tex, c.xyz, c.w)); break;
    case 3: r = textureGather(tex, c.xy, c.z); break;
    }
#elif KIND == 5
    switch (OP) {
    case 0: r = vec4(textureLod(tex, c.xy, c.w)); break;
    case 3: r = vec4(textureGather(tex, c.xy, 1)); break;
    case 4: r = vec4(texelFetch(tex, ivec2(c.xy), int(c.w))); break;
    }
#elif KIND == 6
    r = textureLod(tex, c.x, c.w);
#endif
    o[i] = r;
}
