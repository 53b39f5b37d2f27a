// Every operation of ray queries: one by itself, three in an array whose index is computed, one in a function's
// parameter; structures from a descriptor, from an array of them and from an address.
#version 460
#extension GL_EXT_ray_query : require
#extension GL_EXT_ray_flags_primitive_culling : require
#extension GL_EXT_nonuniform_qualifier : require

layout(local_size_x = 4) in;
layout(set = 0, binding = 0) uniform accelerationStructureEXT scene;
layout(set = 1, binding = 2) uniform accelerationStructureEXT scenes[4];
layout(set = 0, binding = 1) buffer Out { uint words[]; };
layout(push_constant) uniform Push { uvec2 address; uint flags; };

void put(inout uint at, float x) { words[at++] = floatBitsToUint(x); }
void put(inout uint at, vec3 x) { put(at, x.x); put(at, x.y); put(at, x.z); }

void ask(inout uint at, rayQueryEXT query)
{
    words[at++] = rayQueryGetRayFlagsEXT(query);
    put(at, rayQueryGetRayTMinEXT(query));
    put(at, rayQueryGetWorldRayOriginEXT(query));
    put(at, rayQueryGetWorldRayDirectionEXT(query));
    words[at++] = rayQueryGetIntersectionTypeEXT(query, true);
    put(at, rayQueryGetIntersectionTEXT(query, true));
    words[at++] = rayQueryGetIntersectionInstanceCustomIndexEXT(query, true);
    words[at++] = rayQueryGetIntersectionInstanceIdEXT(query, true);
    words[at++] = rayQueryGetIntersectionInstanceShaderBindingTableRecordOffsetEXT(query, true);
    words[at++] = rayQueryGetIntersectionGeometryIndexEXT(query, true);
    words[at++] = rayQueryGetIntersectionPrimitiveIndexEXT(query, true);
    put(at, vec3(rayQueryGetIntersectionBarycentricsEXT(query, true), 0));
    words[at++] = uint(rayQueryGetIntersectionFrontFaceEXT(query, true));
    put(at, rayQueryGetIntersectionObjectRayOriginEXT(query, true));
    put(at, rayQueryGetIntersectionObjectRayDirectionEXT(query, true));
    put(at, rayQueryGetIntersectionObjectToWorldEXT(query, true)[3]);
    put(at, rayQueryGetIntersectionWorldToObjectEXT(query, true)[3]);
}

void main()
{
    const uint i = gl_LocalInvocationIndex;
    uint at = i * 64;
    rayQueryEXT query;
    rayQueryEXT queries[3];
    rayQueryInitializeEXT(query, scene, flags | gl_RayFlagsSkipAABBEXT, 0x7f, vec3(1, 2, 3), 0.5, vec3(4, 5, 6), 9);
    while (rayQueryProceedEXT(query)) {
        if (rayQueryGetIntersectionTypeEXT(query, false) == gl_RayQueryCandidateIntersectionAABBEXT) {
            if (rayQueryGetIntersectionCandidateAABBOpaqueEXT(query))
                rayQueryGenerateIntersectionEXT(query, 3);
        } else if (rayQueryGetIntersectionTEXT(query, false) < 2) {
            rayQueryConfirmIntersectionEXT(query);
        } else {
            rayQueryTerminateEXT(query);
        }
    }
    ask(at, query);
    for (uint n = 0; n < 3; n++)
        rayQueryInitializeEXT(queries[n], scenes[nonuniformEXT(i)], 0, 255, vec3(n), 0, vec3(1), 1);
    rayQueryProceedEXT(queries[i % 3]);
    words[at++] = rayQueryGetIntersectionPrimitiveIndexEXT(queries[i % 3], false);
    rayQueryInitializeEXT(query, accelerationStructureEXT(address), 0, 255, vec3(0), 0, vec3(1), 1);
    words[at] = uint(rayQueryProceedEXT(query));
}
