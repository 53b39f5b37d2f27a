// The nearest that a ray meets: what WHAT says (trace.rgen).
#version 460
#extension GL_EXT_ray_tracing : require
#extension GL_EXT_nonuniform_qualifier : require
#if WHAT == 11
#extension GL_EXT_ray_query : require
#elif WHAT == 12
#extension GL_EXT_ray_cull_mask : require
#elif WHAT == 13
#extension GL_EXT_spirv_intrinsics : require
#endif

#define FLAT 0
#define ALL 1    // numbers of all kinds
#define SPACES 2 // matrices, and the ray in both spaces
#define BIG 3
#define SMALL 4
#define BOX 5    // attributes of an intersection shader
#define DEEP 6   // another ray from here, as often as push constants say
#define SHADOW 7 // another ray with a payload of its own, which nobody but a miss shader answers
#define CALL 8   // a callable shader
#define INDEXED 9 // a buffer by a number that is another one for each lane
#define FIXED 10
#define QUERY 11 // a ray query
#define MASK 12  // what the ray was masked with
#define CORNERS 13 // of the triangle

struct Big {
    vec3 place;
    mat3 turn;
    uint numbers[50];
    dvec2 wide;
    float last;
};
struct Attributes {
    vec3 place;
    uint number;
};

layout(constant_id = 7) const uint NUMBER = 1;

layout(set = 0, binding = 0) uniform accelerationStructureEXT scenes[2];
layout(set = 0, binding = 2) readonly buffer Words { uint words[]; };
layout(set = 0, binding = 4) readonly buffer Several { uint first; } several[4];
layout(push_constant) uniform Push { uint flags, mask, offset, stride, miss, more; float least, most; } push;
layout(shaderRecordEXT) buffer Record { uint number; } record;
#if WHAT == BIG
layout(location = 0) rayPayloadInEXT Big big;
#elif WHAT == SMALL
layout(location = 0) rayPayloadInEXT uint small;
#else
layout(location = 0) rayPayloadInEXT uint told[16];
#endif
#if WHAT == BOX
hitAttributeEXT Attributes attributes;
#else
hitAttributeEXT vec2 attributes;
#endif
layout(location = 1) rayPayloadEXT vec2 shadow;
#if WHAT == CORNERS // of which the installed compiler does not know
spirv_decorate(extensions = ["SPV_KHR_ray_tracing_position_fetch"], capabilities = [5336], 11, 5335) in vec3 corners[3];
#endif
layout(location = 3) callableDataEXT uint asked[4];

void main()
{
#if WHAT == FLAT
    told[0] = 5;
    told[1] = record.number;
    told[2] = gl_InstanceID + 1;
#elif WHAT == ALL || WHAT == BOX
    told[0] = gl_PrimitiveID;
    told[1] = record.number;
    told[2] = gl_InstanceID;
    told[3] = gl_InstanceCustomIndexEXT;
    told[4] = gl_GeometryIndexEXT;
    told[5] = gl_HitKindEXT;
    told[6] = floatBitsToUint(gl_HitTEXT);
#if WHAT == ALL
    told[7] = floatBitsToUint(attributes.x);
    told[8] = floatBitsToUint(attributes.y);
#else
    told[7] = floatBitsToUint(attributes.place.x);
    told[8] = attributes.number;
#endif
    told[9] = gl_IncomingRayFlagsEXT;
    told[10] = floatBitsToUint(gl_RayTminEXT);
    told[11] = gl_LaunchIDEXT.x + 16 * gl_LaunchIDEXT.y;
    told[12] = words[gl_LaunchIDEXT.x];
    told[13] = push.more;
    told[14] = floatBitsToUint(gl_RayTmaxEXT);
#elif WHAT == SPACES
    for (uint n = 0; n < 3; n++) {
        told[n] = floatBitsToUint(gl_WorldRayOriginEXT[n]);
        told[3 + n] = floatBitsToUint(gl_ObjectRayOriginEXT[n]);
        told[6 + n] = floatBitsToUint(gl_ObjectRayDirectionEXT[n]);
        told[9 + n] = floatBitsToUint(gl_ObjectToWorldEXT[n][n] * 4 + gl_ObjectToWorldEXT[3][n]);
        told[12 + n] = floatBitsToUint(gl_WorldToObjectEXT[n][n] * 4 + gl_WorldToObjectEXT[3][n]);
    }
#elif WHAT == BIG
    big.place.x += 16 * 100;
    big.turn[2][2] += 10;
    big.turn[0][1] += 1;
    for (uint n = 0; n < 50; n++)
        big.numbers[n] = big.numbers[n] * 5 + n;
    big.wide.y += 3;
    big.last = 8;
#elif WHAT == SMALL
    small = small * 3 + gl_PrimitiveID;
#elif WHAT == DEEP
    const uint number = gl_InstanceID + 1;
    told[0] += 1;
    told[1] = told[1] * 4 + number;
    if (told[0] - 0xdead0000 < push.more)
        traceRayEXT(scenes[0], push.flags, push.mask, push.offset, push.stride, push.miss,
                    gl_WorldRayOriginEXT + (gl_HitTEXT + 0.125) * gl_WorldRayDirectionEXT, 0, gl_WorldRayDirectionEXT, push.most, 0);
    told[2] = told[2] * 4 + number; // backwards
#elif WHAT == SHADOW
    shadow = vec2(3, 3);
    traceRayEXT(scenes[0], gl_RayFlagsTerminateOnFirstHitEXT | gl_RayFlagsOpaqueEXT | gl_RayFlagsSkipClosestHitShaderEXT,
                (gl_PrimitiveID & 1) != 0 ? 2 : 8, 0, 0, 1, gl_WorldRayOriginEXT, 0, gl_WorldRayDirectionEXT, push.most, 1);
    told[0] = floatBitsToUint(shadow.x);
    told[1] = floatBitsToUint(attributes.x);
    told[2] = gl_InstanceID;
#elif WHAT == CALL
    asked[0] = gl_PrimitiveID;
    executeCallableEXT(gl_LaunchIDEXT.x % 2, 3);
    told[0] = asked[0];
    told[1] = gl_PrimitiveID;
#elif WHAT == INDEXED
    told[0] = several[nonuniformEXT(gl_LaunchIDEXT.x & 3)].first;
#elif WHAT == FIXED
    told[0] = NUMBER;
#elif WHAT == QUERY
    rayQueryEXT query;
    rayQueryInitializeEXT(query, scenes[0], gl_RayFlagsOpaqueEXT, 6, gl_WorldRayOriginEXT, 0, gl_WorldRayDirectionEXT, 100);
    while (rayQueryProceedEXT(query))
        ;
    told[0] = gl_InstanceID;
    told[1] = rayQueryGetIntersectionInstanceIdEXT(query, true);
    told[2] = floatBitsToUint(attributes.x);
#elif WHAT == MASK
    told[0] = gl_CullMaskEXT;
#elif WHAT == CORNERS
    for (uint n = 0; n < 9; n++)
        told[n] = floatBitsToUint(corners[n / 3][n % 3]);
#endif
}
