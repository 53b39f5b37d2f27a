// Ways to use ray queries that rays.comp does not go: WAY says which.
#version 460
#extension GL_EXT_ray_query : require
#extension GL_EXT_nonuniform_qualifier : require

layout(local_size_x = 64) in;

struct Ray {
    vec3 origin;
    float least;
    vec3 direction;
    float most;
};

layout(set = 0, binding = 0) uniform accelerationStructureEXT scenes[2];
layout(set = 0, binding = 1) readonly buffer Rays { Ray rays[]; };
layout(set = 0, binding = 2) writeonly buffer Answers { uvec4 answers[][4]; };
layout(push_constant) uniform Push { uvec2 address; };

#define BEGIN(query, scene, flags, n) \
    rayQueryInitializeEXT(query, scene, flags, 0xff, rays[n].origin, rays[n].least, rays[n].direction, rays[n].most)

uvec4 met(rayQueryEXT query)
{
    const uint kind = rayQueryGetIntersectionTypeEXT(query, true);
    if (kind == gl_RayQueryCommittedIntersectionNoneEXT)
        return uvec4(0);
    return uvec4(kind, rayQueryGetIntersectionPrimitiveIndexEXT(query, true),
                 rayQueryGetIntersectionInstanceCustomIndexEXT(query, true),
                 floatBitsToUint(rayQueryGetIntersectionTEXT(query, true)));
}

void main()
{
    const uint i = gl_GlobalInvocationID.x;
#if WAY == 0 // every candidate once, whatever their order
    rayQueryEXT query;
    uint count = 0, sum = 0;
    float nearest = 1e9;
    BEGIN(query, scenes[0], gl_RayFlagsNoOpaqueEXT, i);
    while (rayQueryProceedEXT(query)) {
        count++;
        sum += (rayQueryGetIntersectionPrimitiveIndexEXT(query, false) + 1) *
               (rayQueryGetIntersectionInstanceCustomIndexEXT(query, false) - 999);
        nearest = min(nearest, rayQueryGetIntersectionTEXT(query, false));
    }
    answers[i][0] = uvec4(count, sum, rayQueryGetIntersectionTypeEXT(query, true), floatBitsToUint(nearest));
#elif WAY == 1 // ended after the first candidate, which is kept
    rayQueryEXT query;
    uint count = 0, primitive = 0;
    BEGIN(query, scenes[0], gl_RayFlagsNoOpaqueEXT, i);
    while (rayQueryProceedEXT(query)) {
        count++;
        primitive = rayQueryGetIntersectionPrimitiveIndexEXT(query, false);
        rayQueryConfirmIntersectionEXT(query);
        rayQueryTerminateEXT(query);
    }
    answers[i][0] = met(query);
    answers[i][1] = uvec4(count, primitive, uint(rayQueryProceedEXT(query)), 0);
#elif WAY == 2 // two that take turns
    rayQueryEXT one, other;
    const uint j = i ^ 5;
    BEGIN(one, scenes[0], gl_RayFlagsNoOpaqueEXT, i);
    BEGIN(other, scenes[0], gl_RayFlagsNoOpaqueEXT, j);
    for (bool more = true, also = true; more || also;) {
        if (more && (more = rayQueryProceedEXT(one)))
            rayQueryConfirmIntersectionEXT(one);
        if (also && (also = rayQueryProceedEXT(other)))
            rayQueryConfirmIntersectionEXT(other);
    }
    answers[i][0] = met(one);
    answers[j][1] = met(other);
#elif WAY == 3 // four in an array, by a computed index
    rayQueryEXT queries[4];
    for (uint n = 0; n < 4; n++)
        BEGIN(queries[(i + n) & 3], scenes[0], gl_RayFlagsNoOpaqueEXT, i ^ n);
    for (uint n = 0; n < 4; n++) {
        const uint at = (i + (n ^ i) & 3) & 3;
        while (rayQueryProceedEXT(queries[at]))
            rayQueryConfirmIntersectionEXT(queries[at]);
    }
    for (uint n = 0; n < 4; n++) {
        const uint at = (i + n) & 3, kind = rayQueryGetIntersectionTypeEXT(queries[at], true);
        uvec4 answer = uvec4(0);
        if (kind != 0)
            answer = uvec4(kind, rayQueryGetIntersectionPrimitiveIndexEXT(queries[at], true),
                           rayQueryGetIntersectionInstanceCustomIndexEXT(queries[at], true),
                           floatBitsToUint(rayQueryGetIntersectionTEXT(queries[at], true)));
        answers[i ^ n][n] = answer;
    }
#elif WAY == 4 // begun in branches, gone on with behind them, left early by some
    rayQueryEXT query;
    if (i % 3 == 0) {
        BEGIN(query, scenes[0], gl_RayFlagsNoOpaqueEXT, i);
        if (i % 2 == 0 && rayQueryProceedEXT(query))
            rayQueryConfirmIntersectionEXT(query);
    } else if (i % 3 == 1) {
        BEGIN(query, scenes[0], gl_RayFlagsOpaqueEXT, i);
    } else {
        answers[i][0] = uvec4(0);
        return;
    }
    uint left = 1000;
    while (left-- > 0) {
        if (!rayQueryProceedEXT(query))
            break;
        if (rayQueryGetIntersectionTEXT(query, false) < 0)
            continue;
        rayQueryConfirmIntersectionEXT(query);
    }
    answers[i][0] = met(query);
#elif WAY == 5 // what else a query knows
    rayQueryEXT query;
    BEGIN(query, scenes[0], gl_RayFlagsOpaqueEXT, i);
    while (rayQueryProceedEXT(query))
        ;
    answers[i][0] = met(query);
    answers[i][1] = answers[i][2] = uvec4(0);
    if (rayQueryGetIntersectionTypeEXT(query, true) == 0)
        return;
    const mat4x3 out_of = rayQueryGetIntersectionObjectToWorldEXT(query, true),
                 into = rayQueryGetIntersectionWorldToObjectEXT(query, true);
    const vec3 origin = rayQueryGetIntersectionObjectRayOriginEXT(query, true),
               direction = rayQueryGetIntersectionObjectRayDirectionEXT(query, true);
    const float wrong = distance(out_of * vec4(origin, 1), rayQueryGetWorldRayOriginEXT(query)) +
                        distance(into * vec4(rays[i].origin, 1), origin) +
                        distance(out_of * vec4(direction, 0), rayQueryGetWorldRayDirectionEXT(query)) +
                        distance(into * vec4(rays[i].direction, 0), direction) +
                        distance(rays[i].direction, rayQueryGetWorldRayDirectionEXT(query));
    answers[i][1] = uvec4(rayQueryGetIntersectionInstanceIdEXT(query, true),
                          rayQueryGetIntersectionInstanceShaderBindingTableRecordOffsetEXT(query, true),
                          rayQueryGetRayFlagsEXT(query), floatBitsToUint(rayQueryGetRayTMinEXT(query)));
    answers[i][2] = uvec4(floatBitsToUint(wrong), floatBitsToUint(out_of[3].x), floatBitsToUint(out_of[3].y),
                          floatBitsToUint(out_of[0].z));
#elif WAY == 6 // a structure by its address
    rayQueryEXT query;
    BEGIN(query, accelerationStructureEXT(address), gl_RayFlagsOpaqueEXT, i);
    while (rayQueryProceedEXT(query))
        ;
    answers[i][0] = met(query);
#else // one of two structures, another in each lane
    rayQueryEXT query;
    BEGIN(query, scenes[nonuniformEXT(i & 1)], gl_RayFlagsOpaqueEXT, i);
    while (rayQueryProceedEXT(query))
        ;
    answers[i][0] = met(query);
#endif
}
