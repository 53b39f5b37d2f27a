// Rays that meet nothing: what WHAT says (trace.rgen).
#version 460
#extension GL_EXT_ray_tracing : require

#define FLAT 0
#define ALL 1   // everything that the stage knows
#define OTHER 2 // the second payload
#define BIG 3
#define SMALL 4
#define CALL 5  // a callable shader
#define DEEP 6  // another ray, at another layer, as often as push constants say

struct Big {
    vec3 place;
    mat3 turn;
    uint numbers[50];
    dvec2 wide;
    float last;
};

layout(set = 0, binding = 0) uniform accelerationStructureEXT scenes[2];
layout(set = 0, binding = 2) readonly buffer Words { uint words[]; };
layout(push_constant) uniform Push { uint flags, mask, offset, stride, miss, more; float least, most; } push;
layout(shaderRecordEXT) buffer Record { uint number; } record;
#if WHAT == BIG
layout(location = 0) rayPayloadInEXT Big big;
#elif WHAT == SMALL
layout(location = 0) rayPayloadInEXT uint small;
#elif WHAT == OTHER
layout(location = 0) rayPayloadInEXT vec2 other;
#else
layout(location = 0) rayPayloadInEXT uint told[16];
#endif
layout(location = 3) callableDataEXT uint asked[4];

void main()
{
#if WHAT == FLAT
    told[0] = 7;
    told[1] = record.number;
#elif WHAT == ALL
    told[0] = ~0u;
    told[1] = record.number;
    told[2] = gl_LaunchIDEXT.x + 16 * gl_LaunchIDEXT.y;
    told[3] = gl_LaunchSizeEXT.x + 16 * gl_LaunchSizeEXT.y;
    told[4] = gl_IncomingRayFlagsEXT;
    told[5] = floatBitsToUint(gl_RayTminEXT);
    told[6] = floatBitsToUint(gl_RayTmaxEXT);
    for (uint n = 0; n < 3; n++) {
        told[7 + n] = floatBitsToUint(gl_WorldRayOriginEXT[n]);
        told[10 + n] = floatBitsToUint(gl_WorldRayDirectionEXT[n]);
    }
    told[13] = words[gl_LaunchIDEXT.x];
    told[14] = push.more;
#elif WHAT == OTHER
    other += vec2(0.5, 100);
#elif WHAT == BIG
    big.numbers[10] += 1000;
    big.last = 9;
#elif WHAT == SMALL
    small += 1000;
#elif WHAT == CALL
    asked[0] = gl_LaunchIDEXT.x;
    executeCallableEXT(2, 3);
    told[0] = asked[0];
#elif WHAT == DEEP
    told[0] += 1;
    if (told[0] - 0xdead0000 < push.more)
        traceRayEXT(scenes[0], 0, 0, 0, 0, push.miss, gl_WorldRayOriginEXT, 0, gl_WorldRayDirectionEXT, 1, 0);
    told[1] += gl_LaunchIDEXT.x;
#endif
}
