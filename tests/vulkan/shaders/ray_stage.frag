// A ray query in a fragment shader: a ray for each pixel.
#version 460
#extension GL_EXT_ray_query : require

struct Ray {
    vec3 origin;
    float least;
    vec3 direction;
    float most;
};

layout(set = 0, binding = 0) uniform accelerationStructureEXT scenes[2];
layout(set = 0, binding = 1) readonly buffer Rays { Ray rays[]; };
layout(set = 0, binding = 2) writeonly buffer Answers { uvec4 answers[][4]; };
layout(location = 0) out vec4 color;

void main()
{
    const uint i = uint(gl_FragCoord.y) * 32 + uint(gl_FragCoord.x);
    rayQueryEXT query;
    rayQueryInitializeEXT(query, scenes[0], gl_RayFlagsNoOpaqueEXT, 0xff, rays[i].origin, rays[i].least,
                          rays[i].direction, rays[i].most);
    while (rayQueryProceedEXT(query))
        rayQueryConfirmIntersectionEXT(query);
    const uint kind = rayQueryGetIntersectionTypeEXT(query, true);
    uvec4 answer = uvec4(0);
    if (kind != 0)
        answer = uvec4(kind, rayQueryGetIntersectionPrimitiveIndexEXT(query, true),
                       rayQueryGetIntersectionInstanceCustomIndexEXT(query, true),
                       floatBitsToUint(rayQueryGetIntersectionTEXT(query, true)));
    answers[i][0] = answer;
    color = vec4(1);
}
